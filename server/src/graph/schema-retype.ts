import type { FieldType } from '@trellis/contract/shapes/schema-document.ts';
import { SCHEMA_RETYPES_PER_FIELD_MAX } from '@trellis/contract/limits.ts';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { TAG, tagOf } from './field-types.ts';
import { mayIndexWith } from './indexes/index-merge.ts';
import type { Field, Retyped } from './schema-fields.ts';
import { compileNodeType, type NodeType, type SchemaRegistry } from './schema-registry.ts';
import { fail, ownField, ownType, replaced, stored } from './schema-rename.ts';
import { IndexEdits } from './taken-indexes.ts';

export interface SchemaRetype {
  readonly type: string;
  readonly field: string;
  readonly to: FieldType;
}

/**
 * The schema with another type for a field. Its values stay as they were written, and are converted
 * as they are read (see `field-conversion.ts`). The indexes of the field are built again, of the
 * converted values; one that cannot be of the new type goes.
 */
export function retyped(
  registry: SchemaRegistry,
  { type: owner, field: name, to }: SchemaRetype,
  by: string,
  path: string,
): SchemaRegistry {
  const type = ownType(registry, owner, path);
  if (name === type.key) throw fail(`${path}.field`, 'the key of a type is a String');
  const field = ownField(type, name, path);
  if (field.type === to) throw fail(`${path}.to`, `"${name}" is a ${to} already`);
  const before = field.retyped ?? [];
  if (before.length >= SCHEMA_RETYPES_PER_FIELD_MAX) {
    const message = `a field gets another type at most ${SCHEMA_RETYPES_PER_FIELD_MAX} times`;
    throw fail(`${path}.to`, message, 'Undo one of the changes.');
  }
  const tag = must(tagOf(to), 'a checked field type');
  const edits = new IndexEdits(registry, type);
  const own = indexesOf(type, field);
  const unfit = own.filter((index) => index.fields.length > 1 && !mayIndexWith(tag));
  const gone = edits.remove(unfit);
  const rebuilt = edits.remove(own.filter((index) => !unfit.includes(index)));
  edits.add(rebuilt, () => true);
  const isTimestamp = type.timestamp === name && tag !== TAG.Time;
  const change: Retyped = {
    by,
    type: field.type,
    ...(isTimestamp ? { timestamp: true as const } : {}),
    ...(gone.length === 0 ? {} : { indexes: gone }),
  };
  const after = { ...field, type: to, tag, retyped: [...before, change] };
  return replaced(
    edits.numbered(),
    compileNodeType({
      ...stored(type),
      timestamp: isTimestamp ? undefined : type.timestamp,
      fields: withField(type, field, after),
      indexes: edits.kept,
    }),
  );
}

/** Throws `schema_conflict` when the field has got yet another type since. */
export function undoneRetype(
  registry: SchemaRegistry,
  type: NodeType,
  field: Field,
  by: string,
): SchemaRegistry {
  const changes = field.retyped ?? [];
  const last = changes.at(-1);
  if (last?.by !== by) {
    const place = `${type.name}.${field.name}`;
    throw new Problem('schema_conflict', `The field ${place} has got yet another type since`, {
      hint: 'Undo that change first.',
      details: { type: type.name, field: field.name, from: null, to: null },
    });
  }
  const edits = new IndexEdits(registry, type);
  edits.add(edits.remove(indexesOf(type, field)), () => true);
  edits.add(last.indexes ?? [], (number) => number < 0 || hasNumber(type, number));
  const tag = must(tagOf(last.type), 'a stored field type');
  const left = changes.slice(0, -1);
  const { retyped: _changes, ...rest } = field;
  const after: Field = {
    ...rest,
    type: last.type,
    tag,
    ...(left.length === 0 ? {} : { retyped: left }),
  };
  return replaced(
    edits.numbered(),
    compileNodeType({
      ...stored(type),
      timestamp: type.timestamp ?? (last.timestamp === true ? field.name : undefined),
      fields: withField(type, field, after),
      indexes: edits.kept,
    }),
  );
}

function hasNumber({ fields }: NodeType, number: number): boolean {
  return number === 0 || fields.some((one) => one.number === number);
}

function indexesOf(type: NodeType, { number }: Field): NodeType['indexes'] {
  return type.indexes.filter((index) => index.fields.some((one) => one.number === number));
}

function withField({ fields }: NodeType, before: Field, after: Field): readonly Field[] {
  return fields.map((one) => (one === before ? after : one));
}
