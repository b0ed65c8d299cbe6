import { Worker } from 'node:worker_threads';

/** A thread of the server's own code, which no variable of the environment reaches. `data` is what it is started with. */
export function startThread(file: URL, data?: object): Worker {
  return new Worker(file, {
    workerData: data,
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
}
