import { NO_DOCUMENT } from './postings-cursor.ts';
import type { SearchCursor } from './search-cursor.ts';
import { SteppingCursor } from './stepping-cursor.ts';

/** The documents that any of several cursors matches; the score is the best one's. A binary heap by document. */
export class AlternativesCursor extends SteppingCursor {
  document: number;
  readonly cost: number;
  readonly scoreMax: number;
  readonly #heap: SearchCursor[];

  constructor(cursors: readonly SearchCursor[]) {
    super();
    this.#heap = cursors.toSorted((a, b) => a.document - b.document);
    this.document = this.#heap[0]!.document;
    this.cost = cursors.reduce((sum, { cost }) => sum + cost, 0);
    this.scoreMax = cursors.reduce((max, { scoreMax }) => Math.max(max, scoreMax), 0);
  }

  seek(document: number): void {
    const top = this.#heap;
    while (top[0]!.document < document) {
      top[0]!.seek(document);
      this.#sink();
    }
    this.document = top[0]!.document;
  }

  override markRest(bits: Uint32Array): void {
    for (const cursor of this.#heap) cursor.markRest(bits);
    this.document = NO_DOCUMENT;
  }

  score(): number {
    let score = 0;
    this.forEachMatch((cursor) => (score = Math.max(score, cursor.score())));
    return score;
  }

  /** All of it is one block. */
  lookAhead(): void {}

  blockScoreMax(): number {
    return this.scoreMax;
  }

  blockLast(): number {
    return NO_DOCUMENT;
  }

  /** The cursors that stand at `document`: in a heap they hang together from the top down. */
  forEachMatch(visit: (cursor: SearchCursor) => void, at = 0): void {
    const cursor = this.#heap[at];
    if (cursor === undefined || cursor.document !== this.document) return;
    visit(cursor);
    this.forEachMatch(visit, at * 2 + 1);
    this.forEachMatch(visit, at * 2 + 2);
  }

  #sink(): void {
    const heap = this.#heap;
    const moved = heap[0]!;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]!.document < heap[child]!.document) child++;
      if (heap[child]!.document >= moved.document) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = moved;
  }
}
