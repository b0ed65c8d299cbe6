import type {
  FieldType,
  SchemaAlias,
  SchemaDocument,
} from '@trellis/contract/shapes/schema-document.ts';
import { must } from '#base/assert.ts';
import { accessEdgeNumber } from './access-edges.ts';
import { TAG, tagOf } from './field-types.ts';
import {
  compileIndex,
  type FieldIndex,
  indexDocument,
  type StoredIndex,
  storedIndex,
} from './indexes/field-index.ts';
import type { EdgeTypeDocument, NodeTypeDocument } from './schema.ts';

/**
 * The schema as the graph uses it: each type and field has a number, and records hold only the
 * numbers. Numbers are given in order and never used twice, so a record stays readable when more is
 * added.
 *
 * A registry is immutable: a merge makes a new one (see `schema-merge.ts`).
 */
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
}

/** The key and the aliases of a node are stored like fields, under numbers that no field gets. */
export const KEY_FIELD = 0;
export const ALIASES_FIELD = 1;
export const FIRST_FIELD = 2;
/** The UIDs of nodes that were merged into this one; no field of a type has this number. */
export const MERGED_FIELD = 0xffff;

export interface NodeType {
  readonly id: number;
  readonly name: string;
  /** As of a field. The key's are apart. */
  readonly aliases: readonly string[];
  readonly keyAliases: readonly string[];
  /**
   * What the UIDs of nodes with a key are made of, beside the key: its first name, so that a rename
   * changes no UID. It is unique, so a later type that takes the name has another origin.
   */
  readonly origin: string;
  /** The field name under which a node also shows its key; undefined when there is none. */
  readonly key: string | undefined;
  /** The key's first name, as `origin` of a field; undefined while it has that name. */
  readonly keyOrigin?: string | undefined;
  /** Whether the document lists the key among the fields. */
  readonly keyIsListed: boolean;
  readonly timestamp: string | undefined;
  /** The number of the field `timestamp`; -1 when there is none. */
  readonly timestampNumber: number;
  readonly label: string | undefined;
  /** Sorted by their numbers. */
  readonly fields: readonly Field[];
  readonly indexes: readonly FieldIndex[];
  /** The fields, and the key under its name; by their former names too, for reads. */
  readonly byName: ReadonlyMap<string, Field>;
  readonly byNumber: ReadonlyMap<number, Field>;
}

export interface EdgeType {
  readonly id: number;
  readonly name: string;
  /** As of a field. */
  readonly aliases: readonly string[];
  readonly inverse: string | undefined;
  /** Its place in `ACCESS_EDGES`; undefined for an edge type that does not decide about access. */
  readonly access: number | undefined;
  readonly fields: readonly Field[];
  readonly byName: ReadonlyMap<string, Field>;
  readonly byNumber: ReadonlyMap<number, Field>;
}

/** What the schema holds about indexes besides the indexes of the types. */
export interface IndexNumbers {
  /** The number of the next new index. */
  readonly next: number;
  /** The numbers of removed indexes whose entries are not all deleted yet. */
  readonly removing: readonly number[];
}

const NO_INDEXES: IndexNumbers = { next: 1, removing: [] };

/** Told what is asked of a schema, for whoever must know whether that has changed since. */
export interface SchemaWatch {
  /** A type by its name, whether there is one or not; likewise the others. */
  nodeType(name: string): void;
  edgeType(name: string): void;
  /** Which types have a field of this name. */
  field(name: string): void;
  everything(): void;
}

export class SchemaRegistry {
  readonly indexNumbers: IndexNumbers;
  readonly #nodeTypes: readonly NodeType[];
  readonly #edgeTypes: readonly EdgeType[];
  readonly #watch: SchemaWatch | undefined;
  #notWatched: SchemaRegistry | undefined;
  readonly #nodeTypesByName: ReadonlyMap<string, NodeType>;
  readonly #edgeTypesByName: ReadonlyMap<string, EdgeType>;
  /** By former names. */
  readonly #formerNodeTypes: ReadonlyMap<string, NodeType>;
  readonly #formerEdgeTypes: ReadonlyMap<string, EdgeType>;
  #document: SchemaDocument | undefined;

  constructor(
    nodeTypes: readonly NodeType[],
    edgeTypes: readonly EdgeType[],
    indexNumbers: IndexNumbers = NO_INDEXES,
    watch?: SchemaWatch,
  ) {
    this.indexNumbers = indexNumbers;
    this.#nodeTypes = nodeTypes;
    this.#edgeTypes = edgeTypes;
    this.#watch = watch;
    this.#nodeTypesByName = new Map(nodeTypes.map((type) => [type.name, type]));
    this.#edgeTypesByName = new Map(edgeTypes.map((type) => [type.name, type]));
    this.#formerNodeTypes = byAlias(nodeTypes);
    this.#formerEdgeTypes = byAlias(edgeTypes);
  }

  static readonly empty = new SchemaRegistry([], []);

  /** Sorted by their numbers, which begin at 1. */
  get nodeTypes(): readonly NodeType[] {
    this.#watch?.everything();
    return this.#nodeTypes;
  }

  get edgeTypes(): readonly EdgeType[] {
    this.#watch?.everything();
    return this.#edgeTypes;
  }

  /** The same schema, which tells `watch` what is asked of it. */
  watchedBy(watch: SchemaWatch): SchemaRegistry {
    const watched = new SchemaRegistry(this.#nodeTypes, this.#edgeTypes, this.indexNumbers, watch);
    watched.#notWatched = this;
    return watched;
  }

  /** For what changes how an answer is found, and not the answer. */
  get notWatched(): SchemaRegistry {
    return this.#notWatched ?? this;
  }

  /** The types that have a field of this name. */
  nodeTypesWith(field: string): readonly NodeType[] {
    this.#watch?.field(field);
    return this.#nodeTypes.filter(({ byName }) => byName.has(field));
  }

  /** By its name or a former one, as reads name it; what is written compares the name. */
  nodeType(name: string): NodeType | undefined {
    this.#watch?.nodeType(name);
    const own = this.#nodeTypesByName.get(name);
    const found = own ?? this.#formerNodeTypes.get(name);
    if (own === undefined && found !== undefined) this.#watch?.nodeType(found.name);
    return found;
  }

  /** As `nodeType`. */
  edgeType(name: string): EdgeType | undefined {
    this.#watch?.edgeType(name);
    const own = this.#edgeTypesByName.get(name);
    const found = own ?? this.#formerEdgeTypes.get(name);
    if (own === undefined && found !== undefined) this.#watch?.edgeType(found.name);
    return found;
  }

  nodeTypeById(id: number): NodeType {
    const type = must(this.#nodeTypes[id - 1], `the node type numbered ${id}`);
    this.#watch?.nodeType(type.name);
    return type;
  }

  edgeTypeById(id: number): EdgeType {
    const type = must(this.#edgeTypes[id - 1], `the edge type numbered ${id}`);
    this.#watch?.edgeType(type.name);
    return type;
  }

  nodeTypeNames(): IterableIterator<string> {
    this.#watch?.everything();
    return this.#nodeTypesByName.keys();
  }

  edgeTypeNames(): IterableIterator<string> {
    this.#watch?.everything();
    return this.#edgeTypesByName.keys();
  }

  /** The former names of types, edges and fields that reads still take. */
  aliases(): SchemaAlias[] {
    return [
      ...this.nodeTypes.flatMap((type) => [
        ...type.aliases.map((alias) => ({ type: type.name, alias })),
        ...type.keyAliases.map((alias) => ({
          type: type.name,
          field: must(type.key, 'a renamed key'),
          alias,
        })),
        ...aliasesOfFields(type.fields).map((one) => ({ type: type.name, ...one })),
      ]),
      ...this.edgeTypes.flatMap((edge) => [
        ...edge.aliases.map((alias) => ({ edge: edge.name, alias })),
        ...aliasesOfFields(edge.fields).map((one) => ({ edge: edge.name, ...one })),
      ]),
    ];
  }

  /** The schema as a document; the same object each time. */
  toDocument(): SchemaDocument {
    return (this.#document ??= {
      nodes: this.nodeTypes.map(nodeTypeDocument),
      edges: this.edgeTypes.map(edgeTypeDocument),
    });
  }

  /** The bytes to store. Types and fields are in the order of their numbers. */
  encode(): Uint8Array {
    const stored: StoredSchema = {
      nodes: this.nodeTypes.map(storedNodeType),
      ...(this.indexNumbers === NO_INDEXES ? {} : { indexNumbers: this.indexNumbers }),
      edges: this.edgeTypes.map(storedEdgeType),
    };
    return Buffer.from(JSON.stringify(stored));
  }

  static decode(bytes: Uint8Array): SchemaRegistry {
    // Only `encode` writes these bytes.
    const stored = JSON.parse(new TextDecoder().decode(bytes)) as StoredSchema;
    return new SchemaRegistry(
      stored.nodes.map((type, i) =>
        compileNodeType({
          id: i + 1,
          name: type.name,
          aliases: type.aliases ?? [],
          keyAliases: type.keyAliases ?? [],
          origin: type.origin ?? type.name,
          key: type.key,
          keyOrigin: type.keyOrigin,
          keyIsListed: type.keyIsListed,
          timestamp: type.timestamp,
          label: type.label,
          fields: type.fields.map(compileField),
          indexes: type.indexes ?? [],
        }),
      ),
      stored.edges.map((type, i) =>
        compileEdgeType({
          id: i + 1,
          name: type.name,
          aliases: type.aliases ?? [],
          inverse: type.inverse,
          fields: type.fields.map(compileField),
        }),
      ),
      stored.indexNumbers,
    );
  }

  /** A registry with the same edge types, and with other node types or other index numbers. */
  with(change: {
    readonly nodeTypes?: readonly NodeType[];
    readonly indexNumbers?: IndexNumbers;
  }): SchemaRegistry {
    const { nodeTypes = this.nodeTypes, indexNumbers = this.indexNumbers } = change;
    return new SchemaRegistry(nodeTypes, this.edgeTypes, indexNumbers);
  }
}

/** The last part is absent while the field has never been renamed. */
type StoredField = readonly [
  number: number,
  name: string,
  type: FieldType,
  former?: { readonly aliases?: readonly string[]; readonly origin?: string },
];

interface StoredSchema {
  readonly nodes: readonly {
    readonly name: string;
    readonly aliases?: readonly string[];
    readonly keyAliases?: readonly string[];
    /** Absent while it is the name. */
    readonly origin?: string;
    readonly key?: string;
    readonly keyOrigin?: string;
    readonly keyIsListed: boolean;
    readonly timestamp?: string;
    readonly label?: string;
    readonly fields: readonly StoredField[];
    readonly indexes?: readonly StoredIndex[];
  }[];
  /** Absent when a version without indexes wrote it. */
  readonly indexNumbers?: IndexNumbers;
  readonly edges: readonly {
    readonly name: string;
    readonly aliases?: readonly string[];
    readonly inverse?: string;
    readonly fields: readonly StoredField[];
  }[];
}

function storedNodeType(type: NodeType): StoredSchema['nodes'][number] {
  return {
    ...withoutUndefined(type),
    fields: type.fields.map(storedField),
    ...(type.indexes.length === 0 ? {} : { indexes: type.indexes.map(storedIndex) }),
  };
}

function storedEdgeType(type: EdgeType): StoredSchema['edges'][number] {
  const { name, aliases, inverse, fields } = type;
  return {
    name,
    ...(aliases.length === 0 ? {} : { aliases }),
    ...(inverse === undefined ? {} : { inverse }),
    fields: fields.map(storedField),
  };
}

/** Tells `watch` all that differs from one schema to another. */
export function tellChanges(from: SchemaRegistry, to: SchemaRegistry, watch: SchemaWatch): void {
  const tell = <T extends { readonly name: string; readonly aliases: readonly string[] }>(
    types: readonly (readonly T[])[],
    stored: (type: T) => object,
    changed: (name: string, versions: readonly T[]) => void,
  ): void => {
    const versions = Map.groupBy(types.flat(), ({ name }) => name);
    for (const [name, each] of versions) {
      const texts = each.map((type) => JSON.stringify(stored(type)));
      if (texts.length === types.length && texts[0] === texts[1]) continue;
      // Who has named it by a former name has read it, too.
      for (const one of new Set([name, ...each.flatMap(({ aliases }) => aliases)])) {
        changed(one, each);
      }
    }
  };
  tell([from.nodeTypes, to.nodeTypes], storedNodeType, (name, versions) => {
    watch.nodeType(name);
    const fields = versions.flatMap(({ byName }) => [...byName.keys()]);
    for (const field of new Set(fields)) {
      const [before, after] = versions.map(({ byName }) => byName.get(field));
      if (before?.number !== after?.number || before?.tag !== after?.tag) watch.field(field);
    }
  });
  tell([from.edgeTypes, to.edgeTypes], storedEdgeType, (name) => watch.edgeType(name));
}

function storedField({ number, name, type, aliases, origin }: Field): StoredField {
  if (aliases === undefined && origin === undefined) return [number, name, type];
  return [
    number,
    name,
    type,
    {
      ...(aliases === undefined ? {} : { aliases }),
      ...(origin === undefined ? {} : { origin }),
    },
  ];
}

function compileField([number, name, type, former = {}]: StoredField): Field {
  return { number, name, type, tag: must(tagOf(type), `the field type ${type}`), ...former };
}

function byAlias<T extends { readonly aliases: readonly string[] }>(
  types: readonly T[],
): ReadonlyMap<string, T> {
  return new Map(types.flatMap((type) => type.aliases.map((alias) => [alias, type] as const)));
}

function aliasesOfFields(fields: readonly Field[]): { field: string; alias: string }[] {
  return fields.flatMap(({ name, aliases = [] }) =>
    aliases.map((alias) => ({ field: name, alias })),
  );
}

/** By each name that reads take. */
function fieldsByName(fields: readonly Field[]): Map<string, Field> {
  const byName = new Map(fields.map((field) => [field.name, field]));
  for (const field of fields) for (const alias of field.aliases ?? []) byName.set(alias, field);
  return byName;
}

export function compileNodeType(
  type: Omit<NodeType, 'byName' | 'byNumber' | 'timestampNumber' | 'indexes'> & {
    readonly indexes: readonly StoredIndex[];
  },
): NodeType {
  const byName = fieldsByName(type.fields);
  if (type.key !== undefined) {
    const { keyOrigin: origin } = type;
    const own = { name: type.key, type: 'String', tag: TAG.String } as const;
    const shown: Field = { number: KEY_FIELD, ...own, origin };
    for (const name of [type.key, ...type.keyAliases]) byName.set(name, shown);
  }
  const byNumber = new Map(type.fields.map((field) => [field.number, field]));
  const timestampNumber = byName.get(type.timestamp ?? '')?.number ?? -1;
  const key: Field = { number: KEY_FIELD, name: type.key ?? 'Id', type: 'String', tag: TAG.String };
  const indexes = type.indexes.map((index) =>
    compileIndex(index, (number) =>
      number === KEY_FIELD ? key : must(byNumber.get(number), 'the field of an index'),
    ),
  );
  return { ...type, indexes, timestampNumber, byName, byNumber };
}

export function withIndexes(type: NodeType, indexes: readonly FieldIndex[]): NodeType {
  return { ...type, indexes };
}

export function compileEdgeType(type: Omit<EdgeType, 'access' | 'byName' | 'byNumber'>): EdgeType {
  const byName = fieldsByName(type.fields);
  const byNumber = new Map(type.fields.map((field) => [field.number, field]));
  return { ...type, access: accessEdgeNumber(type.name), byName, byNumber };
}

function withoutUndefined(
  type: NodeType,
): Omit<StoredSchema['nodes'][number], 'fields' | 'indexes'> {
  const { name, aliases, keyAliases, origin, keyOrigin, key, keyIsListed } = type;
  const { timestamp, label } = type;
  return {
    name,
    ...(aliases.length === 0 ? {} : { aliases }),
    ...(keyAliases.length === 0 ? {} : { keyAliases }),
    ...(origin === name ? {} : { origin }),
    keyIsListed,
    ...(key === undefined ? {} : { key }),
    ...(keyOrigin === undefined ? {} : { keyOrigin }),
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(label === undefined ? {} : { label }),
  };
}

function nodeTypeDocument(type: NodeType): NodeTypeDocument {
  const { key, timestamp, label, indexes } = type;
  const fields: Record<string, FieldType> = {};
  if (key !== undefined && type.keyIsListed) fields[key] = 'String';
  for (const field of type.fields) fields[field.name] = field.type;
  return {
    type: type.name,
    ...(key === undefined ? {} : { key }),
    fields,
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(label === undefined ? {} : { label }),
    ...(indexes.length === 0 ? {} : { indexes: indexes.map(indexDocument) }),
  };
}

function edgeTypeDocument(type: EdgeType): EdgeTypeDocument {
  const fields: Record<string, FieldType> = {};
  for (const field of type.fields) fields[field.name] = field.type;
  return {
    type: type.name,
    ...(type.inverse === undefined ? {} : { inverse: type.inverse }),
    ...(type.fields.length === 0 ? {} : { fields }),
  };
}
