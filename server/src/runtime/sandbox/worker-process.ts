import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import {
  ENDPOINT_HEAP_HARD_MB,
  ENDPOINT_MESSAGE_ITEMS_MAX,
  ENDPOINT_OPENING_MS_MAX,
  ENDPOINT_PROCESS_DATA_KB_MAX,
} from '#base/endpoint-limits.ts';
import { openingGate } from '#base/opening-gate.ts';
import { FramePipe } from './frame-pipe.ts';
import { type FrameItem, FrameWriter, readFrame } from './frame.ts';
import {
  CONTROL_DESCRIPTOR,
  FRAMES_DESCRIPTOR,
  type FromKeeper,
  type ToKeeper,
  type WorkerReport,
  type WorkerStep,
} from './worker-messages.ts';
import { existsSync } from 'node:fs';
import process from 'node:process';
import { workerFlags } from './isolation.ts';
import { WorkerNote } from './worker-note.ts';

const NO_REPORT: WorkerReport = { at: 0, turns: 0, guest: 0, frames: 0, heapBytes: 0 };

export interface WorkerProcessOptions {
  /** The folder of the state; absolute. */
  readonly storage: string;
  /** Key of an encrypted graph; there once there is a state. */
  readonly environmentKey: Promise<string | undefined>;
  readonly rowMemoryBytes?: number | undefined;
}

export interface WorkerProcessEvents {
  /** One item of what the worker says; to be believed in nothing. */
  onItem(item: FrameItem, payload: string): void;
  /** It ended by itself: it crashed, ran out of memory, or could not start. */
  onEnd(reason: Error): void;
}

/**
 * One endpoint worker as the main thread sees it: a thread in a process of its own, as V8 ends the
 * whole process where code asks for too much at once. Beside the thread, the main one of that
 * process keeps it: see `worker-keeper.ts`.
 */
export class WorkerProcess {
  /** How far the worker was when it was last looked at. */
  report = NO_REPORT;
  /** When it was asked for `report`; by the clock of this process. */
  reportAskedAt = 0;
  readonly #child: ChildProcess;
  readonly #control: FramePipe;
  readonly #frames: FramePipe;
  readonly #note = new WorkerNote();
  readonly #outbox = new FrameWriter();
  readonly #exited = Promise.withResolvers<void>();
  readonly #steps: Readonly<Record<WorkerStep, PromiseWithResolvers<void>>> = {
    loaded: Promise.withResolvers(),
    opened: Promise.withResolvers(),
  };
  #looking: PromiseWithResolvers<WorkerReport> | undefined;
  #profiling: PromiseWithResolvers<string> | undefined;
  #askedAt = 0;
  #hasEnded = false;
  #sentFrames = 0;

  constructor(options: WorkerProcessOptions, events: WorkerProcessEvents) {
    const { storage, environmentKey, rowMemoryBytes } = options;
    const file = fileURLToPath(new URL('./worker-keeper.ts', import.meta.url));
    const launch = launchOf(file, storage);
    this.#child = spawn(launch.file, launch.args, {
      env: environmentOf(),
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe', this.#note.descriptor],
    });
    let reason: Error | undefined;
    const end = (error: Error): void => {
      reason ??= error;
      this.#looking?.resolve(this.report);
      this.#profiling?.resolve('');
      this.#child.kill('SIGKILL');
      if (this.#hasEnded) return;
      this.#hasEnded = true;
      events.onEnd(reason);
    };
    const { stdio } = this.#child;
    this.#control = new FramePipe(
      stdio[CONTROL_DESCRIPTOR] as Duplex,
      (text) => this.#hear(text, end),
      () => {},
    );
    this.#frames = new FramePipe(
      stdio[FRAMES_DESCRIPTOR] as Duplex,
      (frame) => {
        if (!this.#hasEnded) takeFrame(frame, events, end);
      },
      () => {},
    );
    this.#child.once('error', (error) => {
      this.#exited.resolve();
      end(error);
    });
    this.#child.once('close', (code, signal) => {
      end(new Error(`the process of the worker ended with ${signal ?? `code ${code}`}`));
      this.#note[Symbol.dispose]();
      this.#exited.resolve();
    });
    this.#tell({ setup: { storage, rowMemoryBytes } });
    void this.#openState(environmentKey);
  }

  /** Lets the worker open the state while nobody writes to it: see `OpeningGate`. */
  async #openState(key: Promise<string | undefined>): Promise<void> {
    const [environmentKey] = await Promise.all([key, this.#steps.loaded.promise]);
    using _turn = await openingGate.hold();
    if (this.#hasEnded) return;
    // All that is written waits for it.
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), ENDPOINT_OPENING_MS_MAX);
    this.#tell({ state: { environmentKey } });
    await Promise.race([this.#steps.opened.promise, this.#exited.promise]);
    clearTimeout(timer);
  }

  /** The number of the process; undefined when there is none. */
  get processId(): number | undefined {
    return this.#child.pid;
  }

  /**
   * Items go as one message when the requests that have arrived are all taken in, or enough of them
   * for the worker to begin with while the rest is taken in: a message costs more than a small
   * call. `item` is the inside of a JSON array: see `ToWorker`.
   */
  send(item: string, payload = ''): void {
    if (this.#outbox.isEmpty) setImmediate(() => this.#flush());
    this.#outbox.push(item, payload);
    if (this.#outbox.items >= ENDPOINT_MESSAGE_ITEMS_MAX) this.#flush();
  }

  /** The number of the frame that takes what is sent now, from 1. */
  get nextFrame(): number {
    return this.#sentFrames + 1;
  }

  /** How far the worker is, even while it is in an endless loop. */
  look(): Promise<WorkerReport> {
    if (this.#looking === undefined) {
      this.#looking = Promise.withResolvers();
      this.#askedAt = performance.now();
      this.#tell('look');
    }
    return this.#looking.promise;
  }

  /** A CPU profile of the thread begins, or ends: then it gives JSON, or the empty text. */
  profile(step: 'begin-profile' | 'end-profile'): Promise<string> {
    if (this.#hasEnded) return Promise.resolve('');
    this.#profiling = Promise.withResolvers();
    this.#tell(step);
    return this.#profiling.promise;
  }

  /** For how long its process has not answered. */
  silentMs(now: number): number {
    return this.#looking === undefined ? 0 : now - this.#askedAt;
  }

  /** The guest that was at work when the process ended; 0 for none. */
  culprit(): number {
    return this.#note.guest();
  }

  /** What calls have read, before or after its end: see `WorkerNote`. */
  notedReads(): ReadonlyMap<number, readonly string[]> {
    return this.#note.reads();
  }

  /** Resolves when nothing of it runs any more. Nothing can keep it from ending. */
  async terminate(): Promise<void> {
    this.#hasEnded = true;
    this.#looking?.resolve(this.report);
    this.#profiling?.resolve('');
    this.#child.kill('SIGKILL');
    this.#control.close();
    this.#frames.close();
    await this.#exited.promise;
  }

  #hear(text: string, end: (reason: Error) => void): void {
    const message = JSON.parse(text) as FromKeeper;
    if ('ended' in message) {
      const { code, text: why } = message.ended;
      end(Object.assign(new Error(why), code === undefined ? {} : { code }));
      return;
    }
    if ('step' in message) {
      // A worker may have been taken over, and say anything.
      if (Object.hasOwn(this.#steps, message.step)) this.#steps[message.step].resolve();
      return;
    }
    if ('profile' in message) {
      this.#profiling?.resolve(message.profile);
      return;
    }
    this.report = message;
    this.reportAskedAt = this.#askedAt;
    this.#looking?.resolve(message);
    this.#looking = undefined;
  }

  #tell(message: ToKeeper): void {
    if (!this.#hasEnded) this.#control.send(JSON.stringify(message));
  }

  #flush(): void {
    if (this.#outbox.isEmpty) return;
    const frame = this.#outbox.take();
    this.#sentFrames++;
    if (!this.#hasEnded) this.#frames.send(frame);
  }
}

function takeFrame(
  frame: string,
  { onItem }: WorkerProcessEvents,
  end: (reason: Error) => void,
): void {
  try {
    readFrame(frame, onItem);
  } catch (error) {
    end(error instanceof Error ? error : new Error(String(error)));
  }
}

/** What a process is started with. */
interface Launch {
  readonly file: string;
  readonly args: readonly string[];
}

const SHELL = '/bin/sh';

/**
 * The operating system bounds the memory of the process, whatever fills it: `RLIMIT_DATA` counts
 * what is private and can be written, so neither V8's reserved address space nor the map of LMDB. A
 * limit that is lower already stays. No core is dumped.
 */
const LIMITED = `ulimit -c 0; ulimit -d ${ENDPOINT_PROCESS_DATA_KB_MAX} 2>/dev/null; exec "$0" "$@"`;

/** How to run a file of the program as a process that holds endpoint workers. */
function launchOf(file: string, storage: string): Launch {
  const args = [
    ...workerFlags(storage),
    '--allow-worker',
    `--max-old-space-size=${ENDPOINT_HEAP_HARD_MB}`,
    // As the server's own process: see `app/serve.ts`.
    '--no-allocation-site-pretenuring',
    file,
  ];
  const { execPath } = process;
  // Only Linux counts what is needed here.
  if (process.platform !== 'linux' || !existsSync(SHELL)) return { file: execPath, args };
  return { file: SHELL, args: ['-c', LIMITED, execPath, ...args] };
}

/** The whole environment of such a process: nothing in it is secret. */
function environmentOf(): NodeJS.ProcessEnv {
  // Dates in the code of endpoints are those of the server.
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return { UV_THREADPOOL_SIZE: '1', TZ: timeZone };
}
