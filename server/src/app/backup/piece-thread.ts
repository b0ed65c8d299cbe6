import type { Worker } from 'node:worker_threads';
import type { DatabaseNumber } from '#store/databases.ts';
import type { CheckedPlace } from '#store/lmdb-file/checked-visit.ts';
import type { ManifestPiece } from '#store/manifest.ts';
import type { SecondReader } from '#store/second-reader.ts';
import type { SnapshotSink } from '#store/snapshot-pieces.ts';
import { startThread } from '../start-thread.ts';
import { errorOf, type ThreadFailure } from '../thread-failure.ts';

export type ToPieces =
  /** One at a time. */
  | { readonly kind: 'read'; readonly db: DatabaseNumber; readonly place: CheckedPlace }
  /** A piece has gone to the sink; with memory for another, which is transferred. */
  | { readonly kind: 'taken'; readonly spare: ArrayBuffer | undefined }
  /** No more pieces are wanted; it is answered as an end. */
  | { readonly kind: 'stop' };

export type FromPieces =
  /** Its memory is transferred. */
  | { readonly kind: 'piece'; readonly digest: string; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'done'; readonly pieces: ManifestPiece[] }
  | { readonly kind: 'failed'; readonly failure: ThreadFailure };

/**
 * Reads databases in a thread, which starts with the first and stays until it is disposed. The thread knows no key and opens no LMDB:
 * it can be ended at any time.
 */
export class PieceThread implements SecondReader, Disposable {
  readonly #startThread: typeof startThread;
  #worker: Worker | undefined;

  constructor(start = startThread) {
    this.#startThread = start;
  }

  async writePieces(
    db: DatabaseNumber,
    place: CheckedPlace,
    sink: SnapshotSink,
  ): Promise<ManifestPiece[]> {
    const worker = (this.#worker ??= this.#start());
    const { promise, resolve, reject } = Promise.withResolvers<ManifestPiece[]>();
    const handing = new Handing(worker, sink);
    const onMessage = (message: FromPieces): void => {
      if (message.kind === 'piece') handing.add(message.digest, message.bytes);
      else if (message.kind === 'done') resolve(message.pieces);
      else reject(errorOf(message.failure));
    };
    const onExit = (): void => reject(new Error('the thread that reads pieces has ended'));
    worker.on('message', onMessage);
    worker.on('error', reject);
    worker.on('exit', onExit);
    try {
      send(worker, { kind: 'read', db, place });
      return await promise;
    } finally {
      worker.off('message', onMessage);
      worker.off('error', reject);
      worker.off('exit', onExit);
      // What the sink has failed with is why the thread has ended its reading.
      await handing.end();
    }
  }

  [Symbol.dispose](): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
  }

  #start(): Worker {
    const worker = this.#startThread(new URL('./piece-worker.ts', import.meta.url));
    worker.on('error', () => undefined);
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }
}

/** Hands the pieces of one database to the sink, one after the other. */
class Handing {
  readonly #worker: Worker;
  readonly #sink: SnapshotSink;
  #last: Promise<void> = Promise.resolve();

  constructor(worker: Worker, sink: SnapshotSink) {
    this.#worker = worker;
    this.#sink = sink;
  }

  add(digest: string, bytes: Uint8Array<ArrayBuffer>): void {
    this.#last = this.#last.then(() => this.#write(digest, bytes));
    this.#last.catch(() => send(this.#worker, { kind: 'stop' }));
  }

  /** Throws what the sink has thrown. */
  end(): Promise<void> {
    return this.#last;
  }

  async #write(digest: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#sink.write(digest, bytes);
    const spare = this.#sink.spare?.();
    send(this.#worker, { kind: 'taken', spare }, spare === undefined ? [] : [spare]);
  }
}

function send(worker: Worker, message: ToPieces, transfer: readonly ArrayBuffer[] = []): void {
  worker.postMessage(message, [...transfer]);
}
