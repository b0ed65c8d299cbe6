import { BACKUP_PIECES_AHEAD_MAX } from '#base/backup-limits.ts';
import type { DatabaseNumber } from '#store/databases.ts';
import { visitorOf } from '#store/lmdb-file/checked-visit.ts';
import { TreePages, type EntryVisitor } from '#store/lmdb-file/tree-pages.ts';
import { SpareMemory } from '#store/spare-memory.ts';
import { writePieces, type SnapshotSink } from '#store/snapshot-pieces.ts';
import { lowerPriority, PRIORITY, serve } from '../threads/thread.ts';
import type { Piece, PieceCalls, PieceNotices } from './piece-thread.ts';

/** A thread that reads databases by their file, for one that holds the commit. */
serve<PieceNotices, PieceCalls>((starter) => {
  lowerPriority(PRIORITY.last);
  const hand = (piece: Piece): Promise<ArrayBuffer | undefined> =>
    starter.ask('piece', piece, { handOver: [piece.bytes.buffer] });
  return {
    read: async ({ db, place }) => {
      using sink = new HandingSink(hand);
      using pages = new TreePages(place.path, place.pageBytes);
      const reader = {
        visit: (_db: DatabaseNumber, start: Uint8Array, visitor: EntryVisitor) =>
          pages.visit(place.tree, start, visitorOf(visitor, place.checkedAs)),
      };
      return await writePieces(reader, db, sink);
    },
  };
});

/** Hands pieces to the other thread, and waits when that has not taken the last ones. */
class HandingSink implements SnapshotSink, Disposable {
  readonly #hand: (piece: Piece) => Promise<ArrayBuffer | undefined>;
  readonly #memory = new SpareMemory();
  /** Pieces that are not taken yet. */
  readonly #untaken = new Set<Promise<void>>();
  #refusal: { readonly error: unknown } | undefined;

  constructor(hand: (piece: Piece) => Promise<ArrayBuffer | undefined>) {
    this.#hand = hand;
  }

  spare(): ArrayBuffer | undefined {
    return this.#memory.take();
  }

  async write(digest: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const taken = this.#take({ digest, bytes }).finally(() => this.#untaken.delete(taken));
    this.#untaken.add(taken);
    while (this.#untaken.size >= BACKUP_PIECES_AHEAD_MAX) await Promise.race(this.#untaken);
    if (this.#refusal !== undefined) throw this.#refusal.error;
  }

  [Symbol.dispose](): void {
    this.#memory[Symbol.dispose]();
  }

  async #take(piece: Piece): Promise<void> {
    try {
      const spare = await this.#hand(piece);
      if (spare !== undefined) this.#memory.give(spare);
    } catch (error) {
      this.#refusal ??= { error };
    }
  }
}
