import type { FieldType } from '@trellis/contract/shapes/schema-document.ts';
import { must } from '#base/assert.ts';
import type { FieldTable } from './field-table.ts';
import { tagOf } from './field-types.ts';
import type { StoredIndex } from './indexes/field-index.ts';

/** A field of a type of nodes or edges, by the number that records hold. */
export interface Field {
  readonly number: number;
  readonly name: string;
  readonly type: FieldType;
  /** The stored form of the type (see `field-types.ts`). */
  readonly tag: number;
  /** Former names; undefined when there are none. Reads take them, writes do not. */
  readonly aliases?: readonly string[] | undefined;
  /**
   * The name by which the text index knows the field, in which a rename changes nothing: its first
   * name, made unique in its type. Undefined while it is `name`.
   */
  readonly origin?: string | undefined;
  /** Set for a field that was dropped: its values stay in the records, and nobody sees them. */
  readonly dropped?: TakenAway | undefined;
  /** The changes of its type that are not undone, the last one last. */
  readonly retyped?: readonly Retyped[] | undefined;
}

/**
 * What a change of the schema took away (see `schema-drop.ts`), and how it was. `by` names the
 * change and its place in it, so that its undo finds all that is its own.
 */
export interface TakenAway {
  readonly by: string;
  /** Whether the type had the field as its label, or its timestamp. */
  readonly label?: true | undefined;
  readonly timestamp?: true | undefined;
  /** The indexes that went with it. */
  readonly indexes?: readonly StoredIndex[] | undefined;
  /** Of a node type: how many edges its nodes had, by the number of the edge type. */
  readonly edges?: Readonly<Record<number, number>> | undefined;
}

/** A change of the type of a field, with the type that it had before. */
export interface Retyped extends TakenAway {
  readonly type: FieldType;
}

/** The key and the aliases of a node are stored like fields, under numbers that no field gets. */
export const KEY_FIELD = 0;
export const ALIASES_FIELD = 1;
export const FIRST_FIELD = 2;
/** The UIDs of nodes that were merged into this one; no field of a type has this number. */
export const MERGED_FIELD = 0xffff;

/** What a type has of fields. */
export interface Fields {
  /** Sorted by their numbers, without those that were dropped. */
  readonly fields: readonly Field[];
  readonly droppedFields: readonly Field[];
}

/** The last part is absent while a change of the schema has never named the field. */
export type StoredField = readonly [
  number: number,
  name: string,
  type: FieldType,
  changed?: Pick<Field, 'aliases' | 'origin' | 'dropped' | 'retyped'>,
];

export function isPresent({ dropped }: { readonly dropped?: TakenAway | undefined }): boolean {
  return dropped === undefined;
}

/** In the order of their numbers, which have no gaps. */
export function storedFields({ fields, droppedFields }: Fields): StoredField[] {
  const all = droppedFields.length === 0 ? fields : [...fields, ...droppedFields];
  return all.toSorted((a, b) => a.number - b.number).map(storedField);
}

export function storedField({ number, name, type, aliases, origin, ...other }: Field): StoredField {
  const { dropped, retyped } = other;
  const changed = {
    ...(aliases === undefined ? {} : { aliases }),
    ...(origin === undefined ? {} : { origin }),
    ...(dropped === undefined ? {} : { dropped }),
    ...(retyped === undefined ? {} : { retyped }),
  };
  return Object.keys(changed).length === 0 ? [number, name, type] : [number, name, type, changed];
}

export function fieldsOf(stored: readonly StoredField[]): Fields {
  const fields = stored.map(compileField);
  return {
    fields: fields.filter(isPresent),
    droppedFields: fields.filter((field) => !isPresent(field)),
  };
}

export function compileField([number, name, type, changed = {}]: StoredField): Field {
  return { number, name, type, tag: must(tagOf(type), `the field type ${type}`), ...changed };
}

/** How many numbers of fields are taken: as many as there ever were fields. */
function fieldCountOf({ fields, droppedFields }: Fields): number {
  return fields.length + droppedFields.length;
}

export function aliasesOfFields(fields: readonly Field[]): { field: string; alias: string }[] {
  return fields.flatMap(({ name, aliases = [] }) =>
    aliases.map((alias) => ({ field: name, alias })),
  );
}

/** By each name that reads take. */
export function fieldsByName(fields: readonly Field[]): Map<string, Field> {
  const byName = new Map(fields.map((field) => [field.name, field]));
  for (const field of fields) for (const alias of field.aliases ?? []) byName.set(alias, field);
  return byName;
}

/**
 * Whether the type has all fields of a record. Field numbers have no gaps and are in order in a
 * record, so the last one is enough.
 */
export function knowsFields(type: Fields, fields: FieldTable): boolean {
  let last = fields.count - 1;
  if (last >= 0 && fields.number(last) === MERGED_FIELD) last--;
  return last < 0 || fields.number(last) < FIRST_FIELD + fieldCountOf(type);
}
