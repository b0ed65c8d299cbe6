import { afterVariables, variableAt } from './postings-block.ts';
import type { ByteWindow } from './segment-bytes.ts';
import type { Segment } from './segment.ts';
import type { TermCursor } from './term-cursor.ts';

/** Positions of one field lie together and apart from those of others. */
const FIELD_SPAN = 2 ** 32;

/** Reads the positions of the postings that a cursor stands at, ever further on. */
export class PositionReader {
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
