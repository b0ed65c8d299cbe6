import { must } from '#base/assert.ts';
import type { DatabaseNumber } from '#store/databases.ts';
import type { KeyRange, KeyValueReader, ScanVisitor } from '#store/key-value.ts';
import type { StatePosition } from '../state-reader.ts';

/**
 * Another state from time to time, for what is made over one state and costs too much to be made
 * for each: a reader with its schema, an index of access.
 */
export class MovingState implements KeyValueReader, StatePosition {
  #state: KeyValueReader | undefined;
  #sequence = -1;

  move(state: KeyValueReader, sequence: number): void {
    this.#state = state;
    this.#sequence = sequence;
  }

  /** It reads nothing until it is moved again. */
  leave(): void {
    this.#state = undefined;
  }

  get sequence(): number {
    return this.#sequence;
  }

  refresh(): number {
    return this.#sequence;
  }

  get(db: DatabaseNumber, key: Uint8Array): Uint8Array | undefined {
    return this.#present.get(db, key);
  }

  has(db: DatabaseNumber, key: Uint8Array): boolean {
    return this.#present.has(db, key);
  }

  scan(db: DatabaseNumber, range: KeyRange, visit: ScanVisitor): void {
    this.#present.scan(db, range, visit);
  }

  countRange(db: DatabaseNumber, range: KeyRange): number {
    return this.#present.countRange(db, range);
  }

  get #present(): KeyValueReader {
    return must(this.#state, 'a state that is read');
  }
}
