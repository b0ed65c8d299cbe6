import { NO_DOCUMENT } from './postings-cursor.ts';
import type { ScoreWindow, SearchCursor } from './search-cursor.ts';
import type { TextSegment } from './segment.ts';
import type { TermCursor } from './term-cursor.ts';
import { afterVariables, BLOCK_POSTINGS, variableAt } from './postings-writer.ts';
import type { ByteWindow } from './segment-bytes.ts';
import type { Candidates } from './match-collectors.ts';

/** A cursor that goes from one document to the next: it has no faster way. */
export abstract class SteppingCursor implements SearchCursor {
  abstract document: number;
  abstract readonly cost: number;
  abstract readonly scoreMax: number;

  abstract seek(document: number): void;
  abstract score(): number;
  abstract lookAhead(document: number): void;
  abstract blockScoreMax(): number;
  abstract blockLast(): number;

  next(): void {
    if (this.document !== NO_DOCUMENT) this.seek(this.document + 1);
  }

  markRest(bits: Uint32Array): void {
    for (; this.document !== NO_DOCUMENT; this.next()) {
      bits[this.document >>> 5]! |= 1 << (this.document & 31);
    }
  }

  /** Scores them too. */
  collect(candidates: Candidates, end: number): number {
    const { documents, scores, isScored } = candidates;
    let size = 0;
    for (; this.document < end && size < BLOCK_POSTINGS; this.next()) {
      documents[size] = this.document;
      scores[size++] = isScored ? this.score() : 0;
    }
    candidates.size = size;
    return this.document;
  }

  /** `collect` did. */
  scoreCollected(): void {}

  scoreWindow(window: ScoreWindow): void {
    for (; this.document < window.end; this.next()) {
      if (window.filter?.acceptsBits(this.document) === false) continue;
      window.add(this.document, this.score());
    }
  }

  meet(candidates: Candidates, isRequired: boolean, minimum: number): void {
    const { documents, scores, isScored } = candidates;
    let kept = 0;
    for (let i = 0; i < candidates.size; i++) {
      const document = documents[i]!;
      let score = scores[i]!;
      if (score + this.scoreMax < minimum) continue;
      this.seek(document);
      if (this.document === document) score += isScored ? this.score() : 0;
      else if (isRequired) continue;
      documents[kept] = document;
      scores[kept++] = score;
    }
    candidates.size = kept;
  }
}

/**
 * Visits the documents that any of several cursors matches; the best score counts. A binary heap by
 * document.
 */
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

  /** Visits the cursors at `document`: in the heap they are connected from the top down. */
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

/**
 * A word of a phrase in a segment: one or more cursors, for the terms that may stand at its place.
 */
export interface PhrasePart {
  readonly offset: number;
  readonly cursors: readonly TermCursor[];
}

/** Visits documents with the words at given distances in one field. */
export class PhraseCursor extends SteppingCursor {
  document = 0;
  readonly cost: number;
  readonly scoreMax: number;
  readonly #words: readonly Word[];

  constructor(parts: readonly PhrasePart[], segment: TextSegment) {
    super();
    this.#words = parts
      .map((part) => new Word(part, segment))
      .toSorted((a, b) => a.cursor.cost - b.cursor.cost);
    this.cost = this.#words[0]!.cursor.cost;
    this.scoreMax = this.#words.reduce((sum, { cursor }) => sum + cursor.scoreMax, 0);
    this.#goTo(this.#words[0]!.cursor.document);
  }

  seek(document: number): void {
    if (this.document >= document) return;
    const rarest = this.#words[0]!.cursor;
    rarest.seek(document);
    this.#goTo(rarest.document);
  }

  score(): number {
    return this.#words.reduce((sum, { cursor }) => sum + cursor.score(), 0);
  }

  lookAhead(document: number): void {
    for (const { cursor } of this.#words) cursor.lookAhead(document);
  }

  blockScoreMax(): number {
    return this.#words.reduce((sum, { cursor }) => sum + cursor.blockScoreMax(), 0);
  }

  blockLast(): number {
    return this.#words.reduce(
      (last, { cursor }) => Math.min(last, cursor.blockLast()),
      NO_DOCUMENT,
    );
  }

  #goTo(from: number): void {
    const rarest = this.#words[0]!.cursor;
    let document = from;
    while (document !== NO_DOCUMENT) {
      const other = this.#firstBeyond(document);
      if (other === document && this.#isPhrase()) break;
      rarest.seek(Math.max(other, document + 1));
      document = other === NO_DOCUMENT ? NO_DOCUMENT : rarest.document;
    }
    this.document = document;
  }

  /** The document if it has all words, else the next one that may have. */
  #firstBeyond(document: number): number {
    for (const { cursor } of this.#words) {
      cursor.seek(document);
      if (cursor.document !== document) return cursor.document;
    }
    return document;
  }

  /** Whether all words, each moved back by its offset, share a position. */
  #isPhrase(): boolean {
    const [first, ...others] = this.#words.map((word) => word.starts());
    const next = others.map(() => 0);
    return first!.some((start) =>
      others.every((starts, index) => {
        let at = next[index]!;
        while (at < starts.length && starts[at]! < start) at++;
        next[index] = at;
        return starts[at] === start;
      }),
    );
  }
}

class Word {
  readonly cursor: SearchCursor;
  readonly #offset: number;
  readonly #terms: readonly { readonly cursor: TermCursor; readonly positions: PositionReader }[];

  constructor({ offset, cursors }: PhrasePart, segment: TextSegment) {
    this.cursor = cursors.length === 1 ? cursors[0]! : new AlternativesCursor(cursors);
    this.#offset = offset;
    this.#terms = cursors.map((cursor) => ({
      cursor,
      positions: new PositionReader(cursor, segment),
    }));
  }

  /** Positions where the phrase would begin, ascending. */
  starts(): number[] {
    const places: number[] = [];
    for (const { cursor, positions } of this.#terms) {
      if (cursor.document === this.cursor.document) positions.read(places);
    }
    if (this.#terms.length > 1) places.sort((a, b) => a - b);
    return this.#offset === 0 ? places : places.map((place) => place - this.#offset);
  }
}

/** Keeps the positions of different fields apart. */
const FIELD_SPAN = 2 ** 32;

/** Reads the positions of a cursor's postings, only forward. */
class PositionReader {
  readonly #cursor: TermCursor;
  readonly #segment: TextSegment;
  readonly #window: ByteWindow;
  #block = -1;
  #index = 0;
  #at = 0;

  constructor(cursor: TermCursor, segment: TextSegment) {
    this.#cursor = cursor;
    this.#segment = segment;
    this.#window = segment.positions.window();
  }

  /** Appends `field * 2^32 + position`, ascending, for the fields that may be seen. */
  read(into: number[]): void {
    this.#seek();
    const cursor = this.#cursor;
    const { bytes } = this.#window;
    let at = this.#at;
    cursor.forEachField((field, frequency) => {
      if (!cursor.isVisible(field)) {
        at = afterVariables(bytes, at, frequency);
        return;
      }
      let place = field * FIELD_SPAN;
      for (let i = 0; i < frequency; i++) {
        place += variableAt(bytes, at);
        at = afterVariables(bytes, at, 1);
        into.push(place);
      }
    });
  }

  #seek(): void {
    const { block, index } = this.#cursor.place;
    if (block !== this.#block) {
      const { blockPositions } = this.#segment;
      const start = blockPositions[block]!;
      this.#at = this.#window.seek(start, blockPositions[block + 1]! - start);
      this.#block = block;
      this.#index = 0;
    }
    if (index === this.#index) return;
    const count = this.#cursor.occurrencesBetween(this.#index, index);
    this.#at = afterVariables(this.#window.bytes, this.#at, count);
    this.#index = index;
  }
}
