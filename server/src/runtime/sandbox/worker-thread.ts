import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import {
  ENDPOINT_HEAP_HARD_MB,
  ENDPOINT_MESSAGE_ITEMS_MAX,
  ENDPOINT_TERMINATE_AGAIN_MS,
  ENDPOINT_WORKER_START_WAIT_MS,
} from '#base/limits.ts';
import type { SearchSnapshot } from '#search/indexing/search-snapshot.ts';
import { FrameWriter, readFrame } from './frame.ts';
import type { FrameItem } from './frame.ts';
import { workerFlags } from './isolation.ts';
import { Progress } from './progress.ts';
import type { StateGate } from './state-gate.ts';
import type { WorkerSetup } from './worker-messages.ts';

const YOUNG_GENERATION_MB = 16;
const STACK_MB = 2;

export interface WorkerThreadOptions {
  /** The folder of the state; absolute. */
  readonly storage: string;
  readonly environmentKey: string | undefined;
  readonly gate: StateGate | undefined;
}

export interface WorkerThreadEvents {
  /** One item of what the worker says; to be believed in nothing. */
  onItem(item: FrameItem, payload: string): void;
  /** It ended by itself: it crashed, ran out of memory, or could not start. */
  onEnd(reason: Error): void;
}

/** One endpoint worker as the main thread sees it. */
export class WorkerThread {
  readonly progress = new Progress();
  readonly #worker: Worker;
  readonly #gate: StateGate | undefined;
  readonly #outbox = new FrameWriter();
  /** It has said something, or has ended. */
  readonly #started = Promise.withResolvers<void>();
  #hasEnded = false;
  #sentFrames = 0;

  constructor(options: WorkerThreadOptions, events: WorkerThreadEvents) {
    const { gate, ...others } = options;
    const setup: WorkerSetup = { ...others, gate: gate?.buffer, progress: this.progress.buffer };
    this.#gate = gate;
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: setup,
      env: {},
      argv: [],
      execArgv: workerFlags(options.storage),
      stdout: true,
      stderr: true,
      // The hard limit is far above the soft one that the watchdog holds: V8 ends the whole process
      // when a thread jumps over its hard limit in one allocation.
      resourceLimits: {
        maxOldGenerationSizeMb: ENDPOINT_HEAP_HARD_MB,
        maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
        stackSizeMb: STACK_MB,
      },
    });
    // As many as wait for its end.
    this.#worker.setMaxListeners(0);
    this.#worker.stdout.resume();
    this.#worker.stderr.resume();
    const end = (reason: Error) => {
      this.#started.resolve();
      if (this.#hasEnded) return;
      this.#hasEnded = true;
      events.onEnd(reason);
    };
    this.#worker.on('message', (frame: unknown) => {
      this.#started.resolve();
      if (this.#hasEnded) return;
      try {
        readFrame(String(frame), events.onItem);
      } catch (error) {
        void this.terminate();
        end(error instanceof Error ? error : new Error(String(error)));
      }
    });
    this.#worker.on('error', (error) =>
      end(error instanceof Error ? error : new Error(String(error))),
    );
    this.#worker.on('exit', (code) => end(new Error(`the worker exited with code ${code}`)));
  }

  /**
   * Items go as one message when the requests that have arrived are all taken in, or enough of them
   * for the worker to begin with while the rest is taken in: a message costs more than a small call.
   * `item` is the inside of a JSON array: see `ToWorker`.
   */
  send(item: string, payload = ''): void {
    if (this.#outbox.isEmpty) setImmediate(() => this.#flush());
    this.#outbox.push(item, payload);
    if (this.#outbox.items >= ENDPOINT_MESSAGE_ITEMS_MAX) this.#flush();
  }

  /** What it finds from now on. */
  receiveSearch(snapshot: SearchSnapshot): void {
    if (!this.#hasEnded) this.#worker.postMessage(snapshot);
  }

  /** The number of the frame that takes what is sent now, from 1. */
  get nextFrame(): number {
    return this.#sentFrames + 1;
  }

  /** Answers within a turn of the watchdog, even while the worker is in an endless loop. */
  async heapBytes(): Promise<number> {
    const { used_heap_size: used, external_memory: external } =
      await this.#worker.getHeapStatistics();
    return used + external;
  }

  /**
   * Asks again until it has ended: Node loses a request that arrives while it takes note of a
   * rejected promise, and code that rejects one after the other would go on for ever.
   */
  async terminate(): Promise<void> {
    this.#hasEnded = true;
    // LMDB ends the whole process when it is interrupted while it opens.
    if (this.#gate?.isOpen !== false) {
      await Promise.race([
        this.#started.promise,
        sleep(ENDPOINT_WORKER_START_WAIT_MS, undefined, { ref: false }),
      ]);
    }
    const again = setInterval(() => void this.#worker.terminate(), ENDPOINT_TERMINATE_AGAIN_MS);
    await this.#worker.terminate();
    clearInterval(again);
  }

  #flush(): void {
    if (this.#outbox.isEmpty) return;
    const frame = this.#outbox.take();
    this.#sentFrames++;
    if (!this.#hasEnded) this.#worker.postMessage(frame);
  }
}
