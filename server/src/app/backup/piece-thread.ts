import type { DatabaseNumber } from '#store/databases.ts';
import type { CheckedPlace } from '#store/lmdb-file/checked-visit.ts';
import type { ManifestPiece } from '#store/manifest.ts';
import type { SecondReader } from '#store/second-reader.ts';
import type { SnapshotSink } from '#store/snapshot-pieces.ts';
import { Thread, type startThread } from '../threads/thread.ts';

export interface PieceCalls {
  /** One at a time. Cancelled, it fails. */
  read(database: { readonly db: DatabaseNumber; readonly place: CheckedPlace }): ManifestPiece[];
}

export interface PieceNotices {
  /** Its memory is handed over. Answered once it has gone to the sink, with memory for another. */
  piece(piece: Piece): ArrayBuffer | undefined;
}

export interface Piece {
  readonly digest: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

type ReadingThread = Thread<PieceCalls, PieceNotices>;

/**
 * Reads databases in a thread, which starts with the first and stays until it is disposed. The
 * thread knows no key and opens no LMDB: it can be ended at any time.
 */
export class PieceThread implements SecondReader, Disposable {
  readonly #startThread: typeof startThread | undefined;
  #thread: ReadingThread | undefined;
  /** Hands over the pieces of the database that is read. */
  #handing: Handing | undefined;

  constructor(start?: typeof startThread) {
    this.#startThread = start;
  }

  async writePieces(
    db: DatabaseNumber,
    place: CheckedPlace,
    sink: SnapshotSink,
  ): Promise<ManifestPiece[]> {
    const thread = (this.#thread ??= this.#start());
    const handing = (this.#handing = new Handing(sink));
    try {
      return await thread.ask('read', { db, place });
    } finally {
      // When the sink has failed, its error is why the thread has ended its reading.
      await handing.end();
    }
  }

  [Symbol.dispose](): void {
    void this.#thread?.terminate();
    this.#thread = undefined;
  }

  #start(): ReadingThread {
    const thread: ReadingThread = new Thread<PieceCalls, PieceNotices>({
      name: 'the thread that reads pieces',
      file: new URL('./piece-worker.ts', import.meta.url),
      start: this.#startThread,
      handlers: {
        piece: async (piece, { handOver }) => {
          const spare = await this.#handing?.write(piece);
          if (spare !== undefined) handOver(spare);
          return spare;
        },
      },
      onEnd: () => {
        if (this.#thread === thread) this.#thread = undefined;
      },
    });
    return thread;
  }
}

/** Hands the pieces of one database to the sink, one after the other. */
class Handing {
  readonly #sink: SnapshotSink;
  #last: Promise<ArrayBuffer | undefined> = Promise.resolve(undefined);

  constructor(sink: SnapshotSink) {
    this.#sink = sink;
  }

  /** Answers with memory for another. Throws what the sink has thrown, now or before. */
  write({ digest, bytes }: Piece): Promise<ArrayBuffer | undefined> {
    this.#last = this.#last.then(async () => {
      await this.#sink.write(digest, bytes);
      return this.#sink.spare?.();
    });
    return this.#last;
  }

  /** Throws what the sink has thrown. */
  async end(): Promise<void> {
    await this.#last;
  }
}
