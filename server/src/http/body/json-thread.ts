import { Worker } from 'node:worker_threads';
import { JSON_THREAD_HEAP_MB_MAX } from '#base/limits.ts';
import type { JsonAnswer, JsonReading, JsonRequest } from './json-plan.ts';

/**
 * The thread that reads large JSON bodies, one after the other. The first body starts it; when it
 * has ended, the next body starts another.
 */
export class JsonThread {
  readonly #waiting = new Map<number, PromiseWithResolvers<JsonReading>>();
  #worker: Worker | undefined;
  #lastId = 0;

  /** `bytes` move to the thread: they are empty afterwards. */
  read(bytes: Uint8Array<ArrayBuffer>, wants: JsonRequest['wants']): Promise<JsonReading> {
    this.#worker ??= this.#start();
    const id = ++this.#lastId;
    const reading = Promise.withResolvers<JsonReading>();
    this.#waiting.set(id, reading);
    const request: JsonRequest = { id, bytes, wants };
    this.#worker.postMessage(request, [bytes.buffer]);
    return reading.promise;
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL('./json-worker.ts', import.meta.url), {
      env: {},
      execArgv: ['--disable-warning=ExperimentalWarning'],
      resourceLimits: { maxOldGenerationSizeMb: JSON_THREAD_HEAP_MB_MAX },
    });
    worker.unref();
    worker.on('message', ({ id, ...reading }: JsonAnswer) => {
      this.#waiting.get(id)?.resolve(reading);
      this.#waiting.delete(id);
    });
    let cause: unknown;
    worker.on('error', (error) => (cause = error));
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
      const ended = new Error('the thread that reads JSON has ended', { cause });
      for (const reading of this.#waiting.values()) reading.reject(ended);
      this.#waiting.clear();
    });
    return worker;
  }
}
