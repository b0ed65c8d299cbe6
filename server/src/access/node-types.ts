import type { NodeTypesDocument } from '@trellis/contract/shapes/node-write.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { Problem } from '#base/problem.ts';
import { didYouMean, isSystemName, shorten } from '#graph/names.ts';
import type { GraphReader, Visibility } from '#graph/reader.ts';
import { concealsType, isTellableType, tellsOfEdges } from '#graph/tellable-names.ts';

export type NodeType = SchemaDocument['nodes'][number];

/**
 * A type as a caller may know it. When the caller sees no node of the type, it has only the name
 * that they gave. Throws `invalid_request` when there is no such type and the caller may know that;
 * the hint names a type whose nodes they see.
 */
export function typeAsSeen(
  reader: GraphReader,
  visibility: Visibility,
  name: string,
  at: { readonly part: 'body' | 'query'; readonly path: string } = { part: 'body', path: 'type' },
): NodeType {
  const { nodes } = reader.schema();
  const types = nodes.map(({ type }) => type);
  const present = reader.typeNamed(name);
  if (concealsType(reader, visibility, present, types)) return { type: name, fields: {} };
  const found = nodes.find(({ type }) => type === present);
  if (found !== undefined) return found;
  const known = types.filter(
    (type) => !type.startsWith('_') && isTellableType(reader, visibility, type),
  );
  const message = `"${shorten(name)}" is not a node type`;
  throw new Problem('invalid_request', `${at.part}, ${at.path}: ${message}`, {
    ...didYouMean(name, known),
    details: { fields: [{ path: at.path, message }] },
  });
}

/**
 * Whether the type shows the caller no node, so that a field may have any name. Without a type: no.
 */
export function takesAnyField(
  reader: GraphReader,
  visibility: Visibility,
  type: string | undefined,
): boolean {
  const types = reader.schema().nodes.map((one) => one.type);
  const present = type === undefined ? undefined : reader.typeNamed(type);
  return concealsType(reader, visibility, present, types);
}

/** The fields of some types in the order of the schema, the key as `Id`; each name once. */
export function fieldsOf(types: readonly NodeType[]): string[] {
  const names = types.flatMap(({ key, fields }) => [
    ...(key === undefined ? [] : ['Id']),
    ...Object.keys(fields),
  ]);
  return [...new Set(names)];
}

/**
 * Whether nodes of a type can have a field: one of its own, or the key under either of its names.
 */
export function hasField({ key, fields }: NodeType, name: string): boolean {
  return Object.hasOwn(fields, name) || name === 'Id' || name === key;
}

/**
 * The types that a reader sees nodes of, or may write, with the fields that they may read. Names of
 * edge types are for whoever may write a node, and for administrators.
 */
export function typesFor(
  reader: GraphReader,
  visibility: Visibility,
  mayWrite: (type: string) => boolean,
): NodeTypesDocument {
  const { nodes, edges } = reader.schema();
  const ready = Map.groupBy(
    reader.indexes().filter(({ isReady }) => isReady),
    ({ type }) => type,
  );
  const types = nodes
    .filter(({ type }) => !isSystemName(type))
    .map(({ type, key, label, timestamp, fields }) => {
      const reads = (field: string): boolean => visibility.canReadFieldOfType(type, field);
      const told = Object.entries({ key, label, timestamp }).filter(
        ([, field]) => field !== undefined && reads(field),
      );
      return {
        type,
        count: reader.countOfType(type) - visibility.hiddenOfType(type),
        mayWrite: mayWrite(type),
        ...(Object.fromEntries(told) as { key?: string; label?: string; timestamp?: string }),
        fields: Object.fromEntries(Object.entries(fields).filter(([field]) => reads(field))),
        indexes: (ready.get(type) ?? [])
          .map((index) => index.fields)
          .filter((names) => names.every(reads)),
      };
    })
    .filter((one) => one.mayWrite || isTellableType(reader, visibility, one.type));
  const isToldEdges = tellsOfEdges(visibility) || types.some((one) => one.mayWrite);
  return { types, edges: isToldEdges ? edges.filter(({ type }) => !isSystemName(type)) : [] };
}
