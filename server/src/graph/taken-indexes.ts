import { SCHEMA_INDEXES_PER_TYPE_MAX } from '@trellis/contract/limits.ts';
import { isOfTimestamp, type StoredIndex, storedIndex, toBeBuilt } from './indexes/field-index.ts';
import type { FieldIndex } from './indexes/field-index.ts';
import type { NodeType, SchemaRegistry } from './schema-registry.ts';

/**
 * The indexes of one type while a change of the schema takes some away, or brings them back. What
 * goes has its entries deleted afterwards, what comes is built afterwards, under a new number: so
 * no query ever meets entries that were made of other values.
 */
export class IndexEdits {
  readonly #registry: SchemaRegistry;
  readonly kept: StoredIndex[];
  readonly #removed: number[] = [];
  #next: number;

  constructor(registry: SchemaRegistry, type: NodeType) {
    this.#registry = registry;
    this.kept = type.indexes.map(storedIndex);
    this.#next = registry.indexNumbers.next;
  }

  /** Answers the indexes that went. */
  remove(indexes: readonly FieldIndex[]): readonly StoredIndex[] {
    const numbers = new Set(indexes.map(({ number }) => number));
    const gone = this.kept.filter(([number]) => numbers.has(number));
    this.kept.splice(0, this.kept.length, ...this.kept.filter(([number]) => !numbers.has(number)));
    // The list of the type's nodes by time stands in for an index of the timestamp.
    for (const index of indexes) if (!isOfTimestamp(index)) this.#removed.push(index.number);
    return gone;
  }

  /** Leaves out what there is already, or has no room. `hasField` is asked for their numbers. */
  add(indexes: readonly StoredIndex[], hasField: (number: number) => boolean): void {
    for (const index of indexes) {
      const [, fields] = index;
      const isThere = this.kept.some(([, others]) => others.join() === fields.join());
      const isFull = this.kept.length >= SCHEMA_INDEXES_PER_TYPE_MAX;
      if (isThere || isFull || !fields.every(hasField)) continue;
      this.kept.push(toBeBuilt(index, this.#next++));
    }
  }

  /** The schema with the numbers of these indexes; its types are still to be changed. */
  numbered(): SchemaRegistry {
    const { removing } = this.#registry.indexNumbers;
    const indexNumbers = { next: this.#next, removing: [...removing, ...this.#removed] };
    return this.#registry.with({ indexNumbers });
  }
}
