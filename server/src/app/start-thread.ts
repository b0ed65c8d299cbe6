import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';

/** A thread of the server's own code, which no variable of the environment reaches. `data` is what it is started with. */
export function startThread(file: URL, data?: object): Worker {
  return new Worker(file, {
    workerData: data,
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning', ...keepCompiled()],
  });
}

/**
 * The thread keeps what it compiles where this process does, which Node leaves to each thread: a start takes a third of the
 * time then. (Threads that run the code of endpoints have no such flag: they may write nowhere.)
 */
function keepCompiled(): string[] {
  const folder = getCompileCacheDir();
  if (folder === undefined) return [];
  // Node's own folder is one for each of its versions, inside the one that was asked for.
  const code = `import { enableCompileCache } from 'node:module'; enableCompileCache(${JSON.stringify(dirname(folder))});`;
  return [`--import=data:text/javascript,${encodeURIComponent(code)}`];
}
