import { Socket } from 'node:net';
import process from 'node:process';
import type { CPUProfileHandle } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { ENDPOINT_HEAP_HARD_MB } from '#base/endpoint-limits.ts';
import { FramePipe } from './frame-pipe.ts';
import { workerFlags } from './isolation.ts';
import { Progress } from './progress.ts';
import { StateGate } from './state-gate.ts';
import { CONTROL_DESCRIPTOR } from './worker-messages.ts';
import type { FromKeeper, ToKeeper, WorkerSetup, WorkerStep } from './worker-messages.ts';

const YOUNG_GENERATION_MB = 16;
const STACK_MB = 2;

/**
 * The main thread of a process that holds an endpoint worker. No code of an endpoint runs in it, so
 * it always answers how far the worker is, and sees when the server is gone: then the process ends,
 * whatever its worker does.
 */
class WorkerKeeper {
  readonly #progress = new Progress();
  readonly #gate = new StateGate();
  #control: FramePipe | undefined;
  #worker: Worker | undefined;
  #profile: CPUProfileHandle | undefined;

  listen(): void {
    this.#control = new FramePipe(
      new Socket({ fd: CONTROL_DESCRIPTOR, readable: true, writable: true }),
      (text) => this.#take(JSON.parse(text) as ToKeeper),
      () => process.kill(process.pid, 'SIGKILL'),
    );
  }

  #take(message: ToKeeper): void {
    if (message === 'look') void this.#report();
    else if (message === 'begin-profile') void this.#beginProfile();
    else if (message === 'end-profile') void this.#endProfile();
    else if ('setup' in message) this.#start(message.setup);
    else this.#gate.open(message.state.environmentKey);
  }

  #start({ storage, rowMemoryBytes }: Pick<WorkerSetup, 'storage' | 'rowMemoryBytes'>): void {
    const [gate, progress] = [this.#gate.buffer, this.#progress.buffer];
    const workerData: WorkerSetup = { storage, rowMemoryBytes, gate, progress };
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData,
      env: {},
      argv: [],
      // The last one lets it replace what formats stacks: see `stack-format.ts`.
      execArgv: [...workerFlags(storage), '--expose-internals'],
      stdout: true,
      stderr: true,
      resourceLimits: {
        maxOldGenerationSizeMb: ENDPOINT_HEAP_HARD_MB,
        maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
        stackSizeMb: STACK_MB,
      },
    });
    this.#worker = worker;
    worker.stdout.resume();
    worker.stderr.resume();
    worker.on('message', (step: WorkerStep) => this.#tell({ step }));
    worker.on('error', (error: Error & { readonly code?: string }) => {
      this.#tell({ ended: { code: error.code, text: error.message } });
    });
    worker.on('exit', (code) => {
      this.#tell({ ended: { text: `the worker exited with code ${code}` } });
    });
  }

  async #beginProfile(): Promise<void> {
    this.#profile = await this.#worker?.startCpuProfile().catch(() => undefined);
    this.#tell({ profile: '' });
  }

  async #endProfile(): Promise<void> {
    const profile = await this.#profile?.stop().catch(() => undefined);
    this.#profile = undefined;
    this.#tell({ profile: profile ?? '' });
  }

  async #report(): Promise<void> {
    const heap = await this.#worker?.getHeapStatistics().catch(() => undefined);
    const heapBytes = heap === undefined ? 0 : heap.used_heap_size + heap.external_memory;
    const { turns, guest, frames } = this.#progress;
    this.#tell({ at: performance.now(), turns, guest, frames, heapBytes });
  }

  #tell(message: FromKeeper): void {
    this.#control?.send(JSON.stringify(message));
  }
}

// Who ends the server by a signal to the whole group lets it end its calls first.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
const keeper = new WorkerKeeper();
keeper.listen();
