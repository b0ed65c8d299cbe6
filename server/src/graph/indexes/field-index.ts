import type { IndexDocument } from '@trellis/contract/shapes/schema-document.ts';
import { TAG } from '../field-types.ts';

/** An index over fields of one node type (open-shapes, section 9). */
export interface FieldIndex {
  /** In its keys. Given in order, and never again. */
  readonly number: number;
  readonly fields: readonly IndexedField[];
  readonly unique: boolean;
  /** Whether keys hold digests in place of values, which have no order: in an encrypted store. */
  readonly isHashed: boolean;
  /** Whether it has an entry for every node that needs one. */
  readonly isReady: boolean;
}

export interface IndexedField {
  readonly name: string;
  /** Of the field; `TIMESTAMP_FIELD` for the timestamp. */
  readonly number: number;
  /** As the schema has it now. */
  readonly tag: number;
}

/** Stands for a node's timestamp, which is no field. */
export const TIMESTAMP_FIELD = -1;

/** What it is made of: `[number, numbers of the fields, flags]`. */
export type StoredIndex = readonly [number: number, fields: readonly number[], flags: number];

const UNIQUE = 1;
const READY = 2;
const HASHED = 4;

export function storedIndex({
  number,
  fields,
  unique,
  isReady,
  isHashed,
}: FieldIndex): StoredIndex {
  const flags = (unique ? UNIQUE : 0) | (isReady ? READY : 0) | (isHashed ? HASHED : 0);
  return [number, fields.map((field) => field.number), flags];
}

/** The same index to be built again, under a number that was never used. */
export function toBeBuilt([, fields, flags]: StoredIndex, number: number): StoredIndex {
  const isOfTime = fields.length === 1 && fields[0] === TIMESTAMP_FIELD;
  return [number, fields, isOfTime ? flags : flags & ~READY];
}

/** `fieldOf` finds a field of the type by its number. */
export function compileIndex(
  [number, fields, flags]: StoredIndex,
  fieldOf: (number: number) => IndexedField,
): FieldIndex {
  return {
    number,
    fields: fields.map((field) => (field === TIMESTAMP_FIELD ? TIMESTAMP : fieldOf(field))),
    unique: (flags & UNIQUE) !== 0,
    isReady: (flags & READY) !== 0,
    isHashed: (flags & HASHED) !== 0,
  };
}

export const TIMESTAMP: IndexedField = {
  name: 'Timestamp',
  number: TIMESTAMP_FIELD,
  tag: TAG.Time,
};

/** `types` serves an index of the timestamp alone: it has no entries of its own. */
export function isOfTimestamp({ fields }: FieldIndex): boolean {
  return fields.length === 1 && fields[0]?.number === TIMESTAMP_FIELD;
}

/** The names of the fields, in order. */
export function fieldNamesOf({ field, fields }: IndexDocument): readonly string[] {
  return fields ?? (field === undefined ? [] : [field]);
}

export function indexDocument({ fields, unique }: FieldIndex): IndexDocument {
  const names = fields.map(({ name }) => name);
  const [only] = names;
  return {
    ...(names.length === 1 && only !== undefined ? { field: only } : { fields: names }),
    ...(unique ? { unique } : {}),
  };
}

/** Whether it is over these fields, in this order. */
export function isOver({ fields }: FieldIndex, names: readonly string[]): boolean {
  return fields.length === names.length && fields.every(({ name }, i) => name === names[i]);
}
