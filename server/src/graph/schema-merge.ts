import type { FieldType, SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { SCHEMA_FIELDS_PER_TYPE_MAX, SCHEMA_TYPES_MAX } from '@trellis/contract/limits.ts';
import { TAG, tagOf, widens } from './field-types.ts';
import { isSystemName } from './names.ts';
import { checkSchemaDocument, schemaFaults } from './schema-check.ts';
import { storedIndex } from './indexes/field-index.ts';
import { checkIndexes, hasIndex, IndexDraft } from './indexes/index-merge.ts';
import { FIRST_FIELD } from './schema-fields.ts';
import { SchemaRegistry, compileEdgeType, compileNodeType } from './schema-registry.ts';
import type { Field } from './schema-fields.ts';
import type { EdgeType, NodeType } from './schema-registry.ts';
import type { EdgeTypeDocument, NodeTypeDocument } from './schema.ts';

/**
 * The schema with the types and fields of a document added, and with its wider field types
 * (open-shapes, section 4). What the document leaves out stays. Returns `current` itself when
 * nothing changes, so a repeated merge costs nothing.
 *
 * Throws `schema_conflict` with `details` `{type, field, from, to}` when stored data would become
 * unreadable or lost: with another key, a narrower or unrelated field type, or another inverse.
 * Throws `invalid_request` when the document itself is not valid, or changes a built-in type
 * without `system`.
 */
export function mergeSchema(
  current: SchemaRegistry,
  document: SchemaDocument,
  options: MergeOptions,
): SchemaRegistry {
  checkSchemaDocument(document);
  const nodes = new Draft(current.nodeTypes);
  const indexes = new IndexDraft(current.indexNumbers.next, options);
  document.nodes.forEach((type, i) => {
    const known = current.nodeType(type.type);
    if (known !== undefined) refuseAlias(type.type, known.name);
    const origin = isOrigin(nodes.types, type.type) ? `${type.type}#${nodes.nextId}` : type.type;
    const next = { id: nodes.nextId, origin, indexes };
    const merged = mergeNodeType(known, type, next, `nodes[${i}]`);
    if (merged !== known) allowChange(type.type, options.system, `nodes[${i}].type`);
    nodes.set(merged);
  });
  const edges = new Draft(current.edgeTypes);
  document.edges.forEach((type, i) => {
    const known = current.edgeType(type.type);
    if (known !== undefined) refuseAlias(type.type, known.name);
    if (type.inverse !== undefined) {
      refuseAlias(type.inverse, current.edgeType(type.inverse)?.name ?? type.inverse);
    }
    const merged = mergeEdgeType(known, type, edges.nextId, `edges[${i}]`);
    if (merged !== known) allowChange(type.type, options.system, `edges[${i}].type`);
    edges.set(merged);
  });
  document.edges.forEach((type, i) => {
    if (type.inverse === undefined) return;
    const path = `edges[${i}].inverse`;
    for (const [from, to] of [
      [type.type, type.inverse],
      [type.inverse, type.type],
    ] as const) {
      if (pairEdge(edges, from, to)) allowChange(from, options.system, path);
    }
  });
  if (!nodes.changed && !edges.changed) return current;
  if (nodes.types.length > SCHEMA_TYPES_MAX || edges.types.length > SCHEMA_TYPES_MAX) {
    const message = `a schema has at most ${SCHEMA_TYPES_MAX} types of nodes and of edges`;
    throw schemaFaults([{ path: '', message }]);
  }
  const { removing } = current.indexNumbers;
  const isSame = indexes.next === current.indexNumbers.next;
  const numbers = isSame ? current.indexNumbers : { next: indexes.next, removing };
  return new SchemaRegistry(nodes.types, edges.types, numbers);
}

export interface MergeOptions {
  /** Whether built-in types may change. */
  readonly system: boolean;
  /** Whether a type, given by its number, has no nodes; then a new index of it is ready at once. */
  readonly isEmpty?: ((type: number) => boolean) | undefined;
  /** Whether indexes hold digests: see `FieldIndex.isHashed`. */
  readonly hashesIndexes?: boolean | undefined;
}

/** The types of a schema while it is changed, in the order of their numbers. */
class Draft<T extends Pick<NodeType | EdgeType, 'id' | 'name' | 'dropped'>> {
  readonly types: T[];
  readonly #byName = new Map<string, T>();
  changed = false;

  constructor(types: readonly T[]) {
    this.types = [...types];
    for (const type of types) if (type.dropped === undefined) this.#byName.set(type.name, type);
  }

  get nextId(): number {
    return this.types.length + 1;
  }

  get(name: string): T | undefined {
    return this.#byName.get(name);
  }

  set(type: T): void {
    if (this.#byName.get(type.name) === type) return;
    this.types[type.id - 1] = type;
    this.#byName.set(type.name, type);
    this.changed = true;
  }
}

function allowChange(type: string, system: boolean, path: string): void {
  if (system || !isSystemName(type)) return;
  const message =
    `"${type}" is a built-in type or a reserved name: names that begin with an underscore or ` +
    'with RestrictAccessTo belong to the server';
  throw schemaFaults([{ path, message }]);
}

function mergeNodeType(
  known: NodeType | undefined,
  document: NodeTypeDocument,
  next: { readonly id: number; readonly origin: string; readonly indexes: IndexDraft },
  path: string,
): NodeType {
  const key = known === undefined ? document.key : known.key;
  if (document.key !== undefined && known?.keyAliases.includes(document.key) === true) {
    refuseAlias(document.key, key ?? '', document.type);
  }
  if (document.key !== undefined && document.key !== key) {
    throw conflict(
      document.type,
      document.key,
      key ?? null,
      document.key,
      'the key of a type cannot change, since it makes the identity of its nodes',
    );
  }
  const { [key ?? '']: listedKey, ...ownFields } = document.fields;
  if (listedKey !== undefined && listedKey !== 'String') {
    throw schemaFaults([{ path: `${path}.fields.${key}`, message: 'the key is a String' }]);
  }
  for (const name of [...Object.keys(ownFields), document.label, document.timestamp]) {
    const field = name === undefined ? undefined : known?.byName.get(name);
    if (field !== undefined && name !== undefined) refuseAlias(name, field.name, document.type);
  }
  const fields = mergeFields(document.type, known, ownFields, `${path}.fields`);
  const id = known?.id ?? next.id;
  const merged = {
    id,
    name: document.type,
    aliases: known?.aliases ?? [],
    keyAliases: known?.keyAliases ?? [],
    origin: known?.origin ?? next.origin,
    key,
    keyOrigin: known?.keyOrigin,
    keyIsListed: known?.keyIsListed === true || listedKey !== undefined,
    timestamp: document.timestamp ?? known?.timestamp,
    label: document.label ?? known?.label,
    fields,
    droppedFields: known?.droppedFields ?? [],
    indexes: known?.indexes.map(storedIndex) ?? [],
  };
  const wanted = (document.indexes ?? []).filter((index) => !hasIndex(known, index));
  const isSame =
    known !== undefined &&
    wanted.length === 0 &&
    fields === known.fields &&
    merged.keyIsListed === known.keyIsListed &&
    merged.timestamp === known.timestamp &&
    merged.label === known.label;
  if (isSame) return known;
  const type = compileNodeType(merged);
  checkRoles(type, path);
  if (known !== undefined) checkIndexes(type, known);
  if (wanted.length === 0) return type;
  const added = wanted.map((index) => next.indexes.add(type, index, path));
  return compileNodeType({ ...merged, indexes: [...merged.indexes, ...added] });
}

function isOrigin(types: readonly NodeType[], name: string): boolean {
  return types.some(({ origin }) => origin === name);
}

/** Throws `schema_conflict` when what was found by a name has another one by now. */
function refuseAlias(given: string, present: string, type?: string): void {
  if (given === present) return;
  const place = type === undefined ? given : `${type}.${given}`;
  throw new Problem('schema_conflict', `"${place}" was renamed: it is "${present}" now`, {
    hint:
      `Use the name "${present}". To have both, remove the old name with ` +
      'DELETE /api/schema/aliases first.',
    details: {
      type: type ?? given,
      field: type === undefined ? null : given,
      from: given,
      to: present,
    },
  });
}

/**
 * Checks that the fields that a type names for its timestamp and its label exist and have a
 * suitable type.
 */
function checkRoles(type: NodeType, path: string): void {
  const { timestamp, label } = type;
  if (timestamp !== undefined && type.byName.get(timestamp)?.tag !== TAG.Time) {
    const message = `"${timestamp}" is not a field of the type Time`;
    throw schemaFaults([{ path: `${path}.timestamp`, message }]);
  }
  if (label !== undefined && !type.byName.has(label)) {
    throw schemaFaults([{ path: `${path}.label`, message: `"${label}" is not a field` }]);
  }
}

function mergeEdgeType(
  known: EdgeType | undefined,
  document: EdgeTypeDocument,
  nextId: number,
  path: string,
): EdgeType {
  for (const name of Object.keys(document.fields ?? {})) {
    refuseAlias(name, known?.byName.get(name)?.name ?? name, document.type);
  }
  const fields = mergeFields(document.type, known, document.fields ?? {}, `${path}.fields`);
  if (known !== undefined && fields === known.fields) return known;
  return compileEdgeType({
    id: known?.id ?? nextId,
    name: document.type,
    aliases: known?.aliases ?? [],
    inverse: known?.inverse,
    fields,
    droppedFields: known?.droppedFields ?? [],
  });
}

/**
 * Gives an edge type its inverse, and adds the inverse when it is new. Returns whether something
 * changed.
 */
function pairEdge(edges: Draft<EdgeType>, name: string, inverse: string): boolean {
  const known = edges.get(name);
  if (known?.inverse === inverse) return false;
  if (known?.inverse !== undefined) {
    const reason = 'the inverse of an edge type cannot change, since edges are stored with it';
    throw conflict(name, null, known.inverse, inverse, reason);
  }
  const added = { id: edges.nextId, name, aliases: [], fields: [], droppedFields: [] };
  edges.set(compileEdgeType({ ...(known ?? added), inverse }));
  return true;
}

/** Returns the known list itself when nothing is added or widened. */
function mergeFields(
  type: string,
  {
    fields: known,
    droppedFields,
    keyOrigin,
  }: Pick<NodeType, 'fields' | 'droppedFields' | 'keyOrigin'> = { fields: [], droppedFields: [] },
  document: Readonly<Record<string, FieldType>>,
  path: string,
): readonly Field[] {
  const fields = [...known];
  const places = new Map(known.map((field, i) => [field.name, i]));
  let next = FIRST_FIELD + known.length + droppedFields.length;
  let isChanged = false;
  for (const [name, fieldType] of Object.entries(document)) {
    const tag = must(tagOf(fieldType), 'a checked field type');
    const place = places.get(name);
    const field = place === undefined ? undefined : fields[place];
    if (place === undefined || field === undefined) {
      const isTaken =
        name === keyOrigin ||
        known.some(({ origin }) => origin === name) ||
        droppedFields.some((one) => (one.origin ?? one.name) === name);
      const own = isTaken ? { origin: `${name}#${next}` } : {};
      fields.push({ number: next++, name, type: fieldType, tag, ...own });
    } else if (field.tag === tag) {
      continue;
    } else if (widens(field.tag, tag)) {
      fields[place] = { ...field, type: fieldType, tag };
    } else {
      const reason = `a ${field.type} cannot become a ${fieldType} without losing data`;
      throw conflict(type, name, field.type, fieldType, reason);
    }
    isChanged = true;
  }
  if (fields.length + droppedFields.length > SCHEMA_FIELDS_PER_TYPE_MAX) {
    const message = `a type has at most ${SCHEMA_FIELDS_PER_TYPE_MAX} fields`;
    throw schemaFaults([{ path, message }]);
  }
  return isChanged ? fields : known;
}

function conflict(
  type: string,
  field: string | null,
  from: string | null,
  to: string,
  reason: string,
): Problem {
  const place = field === null ? `"${type}"` : `"${type}.${field}"`;
  return new Problem('schema_conflict', `The schema of ${place} conflicts: ${reason}`, {
    hint: 'Add a new field or type under another name, and move the data to it.',
    details: { type, field, from, to },
  });
}
