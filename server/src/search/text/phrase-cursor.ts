import { AlternativesCursor } from './alternatives-cursor.ts';
import { NO_DOCUMENT } from './postings-cursor.ts';
import type { SearchCursor } from './search-cursor.ts';
import type { Segment } from './segment.ts';
import { SteppingCursor } from './stepping-cursor.ts';
import type { TermCursor } from './term-cursor.ts';
import { afterVariables, variableAt } from './postings-block.ts';
import type { ByteWindow } from './segment-bytes.ts';

/** A word of a phrase within a segment: cursors of the terms that may stand at its place, at least one. */
export interface PhrasePart {
  readonly offset: number;
  readonly cursors: readonly TermCursor[];
}

/** The documents where words stand at given distances in one field. */
export class PhraseCursor extends SteppingCursor {
  document = 0;
  readonly cost: number;
  readonly scoreMax: number;
  readonly #words: readonly Word[];

  constructor(parts: readonly PhrasePart[], segment: Segment) {
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

  /** The document itself where all words are in it, else a later one that is the next it can be. */
  #firstBeyond(document: number): number {
    for (const { cursor } of this.#words) {
      cursor.seek(document);
      if (cursor.document !== document) return cursor.document;
    }
    return document;
  }

  /** Whether the places of all words, each moved back by its offset, have one in common. */
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

  constructor({ offset, cursors }: PhrasePart, segment: Segment) {
    this.cursor = cursors.length === 1 ? cursors[0]! : new AlternativesCursor(cursors);
    this.#offset = offset;
    this.#terms = cursors.map((cursor) => ({
      cursor,
      positions: new PositionReader(cursor, segment),
    }));
  }

  /** Where the phrase would have to begin, ascending. */
  starts(): number[] {
    const places: number[] = [];
    for (const { cursor, positions } of this.#terms) {
      if (cursor.document === this.cursor.document) positions.read(places);
    }
    if (this.#terms.length > 1) places.sort((a, b) => a - b);
    return this.#offset === 0 ? places : places.map((place) => place - this.#offset);
  }
}

/** Positions of one field lie together and apart from those of others. */
const FIELD_SPAN = 2 ** 32;

/** Reads the positions of the postings that a cursor stands at, ever further on. */
class PositionReader {
  readonly #cursor: TermCursor;
  readonly #segment: Segment;
  readonly #window: ByteWindow;
  #block = -1;
  #index = 0;
  #at = 0;

  constructor(cursor: TermCursor, segment: Segment) {
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
