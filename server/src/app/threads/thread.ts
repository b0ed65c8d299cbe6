import { getCompileCacheDir } from 'node:module';
import { basename, dirname } from 'node:path';
import { parentPort, Worker } from 'node:worker_threads';
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { must } from '#base/assert.ts';
import { type Calls, Channel, type Handlers } from './channel.ts';
import { keepReleasingIdleHeap } from './idle-heap.ts';

export interface ThreadOptions<Ours extends Calls<Ours>> {
  /** Its name in errors, such as `the writer thread`. */
  readonly name: string;
  readonly file: URL;
  /** Its `workerData`. */
  readonly data?: object;
  /** Handlers of the calls that it makes to this side. */
  readonly handlers: Handlers<Ours>;
  /** Called once, as soon as it is known: with what it threw, or with its exit code. */
  readonly onEnd?: (error: Error) => void;
  readonly start?: typeof startThread | undefined;
}

/**
 * A thread of the server's own code, as whoever started it sees it; in the thread it is `serve`.
 * When it ends, what it was asked for is rejected.
 */
export class Thread<Theirs extends Calls<Theirs>, Ours extends Calls<Ours>> extends Channel<
  Theirs,
  Ours
> {
  /** Resolves with why, when nothing of it runs any more. */
  readonly exited: Promise<Error>;
  readonly #worker: Worker;

  constructor({ name, file, data, handlers, onEnd, start = startThread }: ThreadOptions<Ours>) {
    const worker = start(file, data);
    super(worker, handlers);
    this.#worker = worker;
    const exited = Promise.withResolvers<Error>();
    this.exited = exited.promise;
    let why: Error | undefined;
    const end = (error: Error): Error => {
      if (why !== undefined) return why;
      why = error;
      this.end(error);
      onEnd?.(error);
      return error;
    };
    worker.on('error', (error) => end(error instanceof Error ? error : new Error(String(error))));
    worker.on('exit', (code) => {
      exited.resolve(end(new Error(`${name} has ended with code ${code}`)));
    });
  }

  /** Ends it wherever it is: not while it has LMDB open, which then ends the whole process. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }
}

/**
 * In a thread: answers the calls of who has started it, and is the way to call that. `open` makes
 * the answers; calls wait for it, and fail with what it throws.
 */
export function serve<Theirs extends Calls<Theirs>, Ours extends Calls<Ours>>(
  open: (starter: Starter<Theirs, Ours>) => Handlers<Ours> | Promise<Handlers<Ours>>,
): Starter<Theirs, Ours> {
  keepReleasingIdleHeap();
  return new Starter(open);
}

class Starter<Theirs extends Calls<Theirs>, Ours extends Calls<Ours>> extends Channel<
  Theirs,
  Ours
> {
  constructor(open: (starter: Starter<Theirs, Ours>) => Handlers<Ours> | Promise<Handlers<Ours>>) {
    const opened = Promise.withResolvers<Handlers<Ours>>();
    super(must(parentPort, 'the port to who has started this thread'), opened.promise);
    // Once the thread's module has run to its end.
    opened.resolve(Promise.resolve().then(() => open(this)));
  }

  /** Takes no more calls: the thread ends when nothing of it is left to do. */
  close(): void {
    parentPort?.close();
  }
}

/**
 * A thread of the server's own code, which no variable of the environment reaches. `data` is what
 * it is started with.
 */
export function startThread(file: URL, data?: object): Worker {
  return new Worker(file, {
    // What the system shows for it, such as `top -H`.
    name: basename(file.pathname).replace(/(-worker)?\.\w+$/, ''),
    workerData: data,
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning', ...keepCompiled()],
  });
}

/**
 * The thread keeps what it compiles where this process does, which Node leaves to each thread: a
 * start takes a third of the time then. (Threads that run the code of endpoints have no such flag:
 * they may write nowhere.)
 */
function keepCompiled(): string[] {
  const folder = getCompileCacheDir();
  if (folder === undefined) return [];
  // Node's own folder is one for each of its versions, inside the one that was asked for.
  const code = `import { enableCompileCache } from 'node:module'; enableCompileCache(${JSON.stringify(dirname(folder))});`;
  return [`--import=data:text/javascript,${encodeURIComponent(code)}`];
}

/**
 * Nice of a thread: others get nine times its share of a processor that both want, or nearly all.
 */
export const PRIORITY = { low: 10, last: 19 } as const;

/**
 * Lets the threads that serve and write go before the calling one. Linux knows a niceness of single
 * threads and tells a thread its own id there; elsewhere all stay equal.
 */
export function lowerPriority(nice: number = PRIORITY.low): void {
  if (process.platform !== 'linux') return;
  const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  setPriority(thread, nice);
}
