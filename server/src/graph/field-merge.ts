import type { ValueFault } from './field-encoder.ts';
import { encodeField } from './field-encoder.ts';
import { FieldTableWriter } from './field-table.ts';
import type { FieldTable } from './field-table.ts';
import { TAG, LIST } from './field-types.ts';
import { ALIASES_FIELD, KEY_FIELD } from './schema-registry.ts';
import type { Field } from './schema-registry.ts';

const ALIASES: Field = {
  number: ALIASES_FIELD,
  name: 'aliases',
  type: 'String[]',
  tag: TAG.String | LIST,
};

/**
 * Builds the fields of one record after the other: those given, over those stored. First `clear`,
 * then `give` each field in any order, then `merge` once.
 */
export class FieldMerge {
  readonly table = new FieldTableWriter();
  /** What was given, in the order of the field numbers. */
  readonly #fields: Field[] = [];
  readonly #values: unknown[] = [];
  #count = 0;
  /** The time in the field that was watched for, when it was given: see `merge`. */
  watchedTimeMs: number | undefined;
  /** The field whose value did not fit, after `merge` answered a fault. */
  faultyField: Field | undefined;

  clear(): void {
    this.table.clear();
    this.#count = 0;
  }

  /** Null removes the field. */
  give(field: Field, value: unknown): void {
    let at = this.#count++;
    for (; at > 0 && this.#fields[at - 1]!.number > field.number; at--) {
      this.#fields[at] = this.#fields[at - 1]!;
      this.#values[at] = this.#values[at - 1];
    }
    this.#fields[at] = field;
    this.#values[at] = value;
  }

  giveAliases(aliases: readonly string[]): void {
    this.give(ALIASES, aliases.length === 0 ? null : aliases);
  }

  /**
   * Writes `key` (of a new node), what was given, and what is stored and was not given. When the
   * Time field numbered `watched` is among the given, `watchedTimeMs` is its value. Answers the
   * fault of the first value that does not fit.
   */
  merge(
    key: string | undefined,
    stored: FieldTable | undefined,
    watched: number,
  ): ValueFault | undefined {
    const { table } = this;
    this.watchedTimeMs = undefined;
    if (key !== undefined) {
      table.values.utf8(key);
      table.add(KEY_FIELD, TAG.String);
    }
    const storedCount = stored === undefined ? 0 : stored.count;
    let at = 0;
    for (let i = 0; i < this.#count; i++) {
      const field = this.#fields[i]!;
      for (; at < storedCount && stored!.number(at) < field.number; at++) {
        table.copyFrom(stored!, at);
      }
      if (at < storedCount && stored!.number(at) === field.number) at++;
      const value = this.#values[i];
      if (value === null) continue;
      const fault = encodeField(table.values, field.tag, value);
      if (fault !== undefined) {
        this.faultyField = field;
        return fault;
      }
      table.add(field.number, field.tag);
      if (field.number === watched) {
        this.watchedTimeMs = table.values.bytes.readDoubleBE(table.values.length - 8);
      }
    }
    for (; at < storedCount; at++) table.copyFrom(stored!, at);
    return undefined;
  }
}
