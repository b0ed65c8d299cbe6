import type { FieldType } from '@trellis/contract/shapes/schema-document.ts';
import { Problem } from '#base/problem.ts';
import { TIMESTAMP_FIELD } from './indexes/field-index.ts';
import { undoneRetype } from './schema-retype.ts';
import { type Field, FIRST_FIELD, KEY_FIELD } from './schema-fields.ts';
import {
  compileEdgeType,
  compileNodeType,
  type EdgeType,
  type NodeType,
  SchemaRegistry,
} from './schema-registry.ts';
import {
  fail,
  ownEdge,
  ownField,
  ownType,
  replaced,
  type SchemaPlace,
  stored,
  withEdges,
} from './schema-rename.ts';
import { IndexEdits } from './taken-indexes.ts';

export interface SchemaDrop {
  readonly drop: SchemaPlace;
  readonly by: string;
  /** Of a node type: how many edges its nodes have, by the name of the edge type. */
  readonly edges?: Readonly<Record<string, number>> | undefined;
}

/**
 * The schema without a type, an edge type or a field. The numbers stay taken, and the records stay:
 * readers no longer show what has these numbers, and `restored` shows it again. An edge type goes
 * with its inverse, since each link is of both.
 */
export function dropped(
  registry: SchemaRegistry,
  { drop: { type, edge, field }, by, edges }: SchemaDrop,
  path: string,
): SchemaRegistry {
  if (type !== undefined) {
    const own = ownType(registry, type, path);
    return field === undefined
      ? withoutType(registry, own, by, edges)
      : withoutField(registry, own, field, by, path);
  }
  const own = ownEdge(registry, edge, path);
  const inverse = registry.edgeType(own.inverse ?? '');
  if (field === undefined) {
    return withEdges(registry, (one) =>
      one === own || one === inverse ? { ...one, dropped: { by } } : one,
    );
  }
  ownField(own, field, path);
  return withEdges(registry, (one) =>
    one === own || one === inverse ? withoutEdgeField(one, field, by) : one,
  );
}

function withoutType(
  registry: SchemaRegistry,
  type: NodeType,
  by: string,
  edges: SchemaDrop['edges'] = {},
): SchemaRegistry {
  const edits = new IndexEdits(registry, type);
  const indexes = edits.remove(type.indexes);
  const counts = Object.entries(edges).flatMap(([name, count]) => {
    const id = registry.edgeType(name)?.id;
    return id === undefined ? [] : [[id, count] as const];
  });
  const mark = {
    by,
    ...(indexes.length === 0 ? {} : { indexes }),
    ...(counts.length === 0 ? {} : { edges: Object.fromEntries(counts) }),
  };
  return replaced(
    edits.numbered(),
    compileNodeType({ ...stored(type), indexes: edits.kept, dropped: mark }),
  );
}

function withoutField(
  registry: SchemaRegistry,
  type: NodeType,
  name: string,
  by: string,
  path: string,
): SchemaRegistry {
  if (name === type.key) {
    const message = 'the key of a type cannot be dropped, since it makes the identity of its nodes';
    throw fail(`${path}.field`, message);
  }
  const field = ownField(type, name, path);
  const edits = new IndexEdits(registry, type);
  const indexes = edits.remove(
    type.indexes.filter((index) => index.fields.some(({ number }) => number === field.number)),
  );
  const [isLabel, isTimestamp] = [type.label === name, type.timestamp === name];
  const mark = {
    by,
    ...(isLabel ? { label: true as const } : {}),
    ...(isTimestamp ? { timestamp: true as const } : {}),
    ...(indexes.length === 0 ? {} : { indexes }),
  };
  const without = {
    ...stored(type),
    label: isLabel ? undefined : type.label,
    timestamp: isTimestamp ? undefined : type.timestamp,
    fields: type.fields.filter((one) => one !== field),
    droppedFields: [...type.droppedFields, { ...field, dropped: mark }],
    indexes: edits.kept,
  };
  return replaced(edits.numbered(), compileNodeType(without));
}

function withoutEdgeField(edge: EdgeType, name: string, by: string): EdgeType {
  const field = edge.fields.find((one) => one.name === name);
  if (field === undefined) return edge;
  return {
    ...edge,
    fields: edge.fields.filter((one) => one !== field),
    droppedFields: [...edge.droppedFields, { ...field, dropped: { by } }],
  };
}

/**
 * The schema with what one `drop` or `retype` has changed as it was before. Aliases that are names
 * of something else by now are left out. Throws `schema_conflict` when the name is taken, or
 * nothing is left to restore.
 */
export function restored(registry: SchemaRegistry, by: string, path: string): SchemaRegistry {
  for (const type of registry.nodeTypes) {
    if (type.dropped?.by === by) return withType(registry, type);
    const field = type.droppedFields.find((one) => one.dropped?.by === by);
    if (field !== undefined) return withField(registry, presentOwner(type), field);
    const other = type.fields.find((one) => one.retyped?.some((change) => change.by === by));
    if (other !== undefined) return undoneRetype(registry, presentOwner(type), other, by);
  }
  return withEdgesAgain(registry, by, path);
}

function withEdgesAgain(registry: SchemaRegistry, by: string, path: string): SchemaRegistry {
  const isOwn = ({ dropped: mark }: Pick<EdgeType | Field, 'dropped'>): boolean => mark?.by === by;
  let hasFound = false;
  const edges = registry.edgeTypes.map((edge) => {
    if (isOwn(edge)) {
      hasFound = true;
      checkFree(registry.edgeType(edge.name), edge.name);
      const isFree = (alias: string): boolean => registry.edgeType(alias) === undefined;
      return { ...edge, dropped: undefined, aliases: edge.aliases.filter(isFree) };
    }
    const field = edge.droppedFields.find(isOwn);
    if (field === undefined) return edge;
    hasFound = true;
    return presentAgain(presentOwner(edge), field);
  });
  if (!hasFound) throw nothingLeft(path);
  return new SchemaRegistry(
    registry.nodeTypes,
    edges.map((edge) => compileEdgeType(edge)),
    registry.indexNumbers,
  );
}

function withType(registry: SchemaRegistry, type: NodeType): SchemaRegistry {
  checkFree(registry.nodeType(type.name), type.name);
  const edits = new IndexEdits(registry, type);
  edits.add(type.dropped?.indexes ?? [], hasField(type));
  const aliases = type.aliases.filter((alias) => registry.nodeType(alias) === undefined);
  return replaced(
    edits.numbered(),
    compileNodeType({ ...stored(type), dropped: undefined, aliases, indexes: edits.kept }),
  );
}

function withField(registry: SchemaRegistry, type: NodeType, field: Field): SchemaRegistry {
  const { label, timestamp, indexes = [] } = field.dropped ?? {};
  const edits = new IndexEdits(registry, type);
  const again = presentAgain(type, field);
  edits.add(indexes, hasField(again));
  const { name } = field;
  return replaced(
    edits.numbered(),
    compileNodeType({
      ...stored(type),
      ...again,
      label: type.label ?? (label === true ? name : undefined),
      timestamp: type.timestamp ?? (timestamp === true ? name : undefined),
      indexes: edits.kept,
    }),
  );
}

/** The owner with the field in its place. */
function presentAgain<T extends Pick<NodeType | EdgeType, 'fields' | 'droppedFields' | 'byName'>>(
  owner: T,
  field: Field,
): T {
  const { byName } = owner;
  checkFree(byName.get(field.name), field.name);
  const aliases = (field.aliases ?? []).filter((alias) => !byName.has(alias));
  const { dropped: _dropped, ...rest } = field;
  const present = { ...rest, ...(field.aliases === undefined ? {} : { aliases }) };
  return {
    ...owner,
    fields: [...owner.fields, present].toSorted((a, b) => a.number - b.number),
    droppedFields: owner.droppedFields.filter((one) => one !== field),
  };
}

/** What an edit has taken away, by the names of now. */
export type Taken = SchemaPlace & {
  /** Of a retype: the type that the field had before. */
  readonly before?: FieldType | undefined;
};

/** Undefined where nothing is left of it. */
export function findTaken({ nodeTypes, edgeTypes }: SchemaRegistry, by: string): Taken | undefined {
  for (const type of nodeTypes) {
    if (type.dropped?.by === by) return { type: type.name };
    const field = type.droppedFields.find(({ dropped: mark }) => mark?.by === by);
    if (field !== undefined) return { type: type.name, field: field.name };
    for (const { name, retyped = [] } of type.fields) {
      const change = retyped.find((one) => one.by === by);
      if (change !== undefined) return { type: type.name, field: name, before: change.type };
    }
  }
  for (const edge of edgeTypes) {
    if (edge.dropped?.by === by) return { edge: edge.name };
    const field = edge.droppedFields.find(({ dropped: mark }) => mark?.by === by);
    if (field !== undefined) return { edge: edge.name, field: field.name };
  }
  return undefined;
}

/** Whether indexes may name a field by this number. */
export function hasField({ fields }: Pick<NodeType, 'fields'>): (number: number) => boolean {
  return (number) =>
    number === TIMESTAMP_FIELD ||
    number === KEY_FIELD ||
    (number >= FIRST_FIELD && fields.some((one) => one.number === number));
}

function presentOwner<T extends NodeType | EdgeType>(owner: T): T {
  if (owner.dropped === undefined) return owner;
  throw conflict(`${owner.name} was dropped since, and has to be restored first`, owner.name);
}

function checkFree(taken: { readonly name: string } | undefined, name: string): void {
  if (taken === undefined) return;
  const is = taken.name === name ? 'taken' : `a former name of "${taken.name}"`;
  throw conflict(`the name "${name}" is ${is}`, name);
}

function nothingLeft(path: string): Problem {
  return conflict('what was dropped is gone', path);
}

function conflict(message: string, name: string): Problem {
  return new Problem('schema_conflict', `The schema cannot be as it was: ${message}`, {
    details: { type: name, field: null, from: null, to: null },
  });
}
