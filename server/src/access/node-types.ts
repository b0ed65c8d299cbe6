import { Problem } from '#base/problem.ts';
import { didYouMean, shorten } from '#graph/names.ts';
import type { GraphReader, Visibility } from '#graph/reader.ts';
import type { SchemaDocument } from '#graph/schema.ts';
import { isTellableType } from '#graph/tellable-names.ts';

export type NodeType = SchemaDocument['nodes'][number];

/** Throws `invalid_request` when there is no such type; the hint names one of which the caller sees nodes. */
export function checkNodeType(reader: GraphReader, visibility: Visibility, name: string): NodeType {
  const { nodes } = reader.schema();
  const found = nodes.find(({ type }) => type === name);
  if (found !== undefined) return found;
  const known = nodes
    .map(({ type }) => type)
    .filter((type) => !type.startsWith('_') && isTellableType(reader, visibility, type));
  const message = `"${shorten(name)}" is not a node type`;
  throw new Problem('invalid_request', `body, type: ${message}`, {
    ...didYouMean(name, known),
    details: { fields: [{ path: 'type', message }] },
  });
}

/** The fields of some types in the order of the schema, the key as `Id`; each name once. */
export function fieldsOf(types: readonly NodeType[]): string[] {
  const names = types.flatMap(({ key, fields }) => [
    ...(key === undefined ? [] : ['Id']),
    ...Object.keys(fields),
  ]);
  return [...new Set(names)];
}

/** Whether nodes of a type can have a field: one of its own, or the key under either of its names. */
export function hasField({ key, fields }: NodeType, name: string): boolean {
  return Object.hasOwn(fields, name) || name === 'Id' || name === key;
}
