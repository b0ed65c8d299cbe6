import type {
  FieldType,
  SchemaAlias,
  SchemaDocument,
} from '@trellis/contract/shapes/schema-document.ts';
import { must } from '#base/assert.ts';
import { accessEdgeNumber } from './access-edges.ts';
import { TAG } from './field-types.ts';
import {
  compileIndex,
  type FieldIndex,
  indexDocument,
  type StoredIndex,
  storedIndex,
} from './indexes/field-index.ts';
import type { EdgeTypeDocument, NodeTypeDocument } from './schema.ts';
import {
  aliasesOfFields,
  type Field,
  fieldsByName,
  fieldsOf,
  isPresent,
  KEY_FIELD,
  type StoredField,
  storedFields,
  type TakenAway,
} from './schema-fields.ts';

/**
 * The schema as the graph uses it: each type and field has a number, and records hold only the
 * numbers. Numbers are given in order and never used twice, so a record stays readable when more is
 * added.
 *
 * A registry is immutable: a merge makes a new one (see `schema-merge.ts`).
 */
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
  /** Sorted by their numbers, without those that were dropped. */
  readonly fields: readonly Field[];
  readonly droppedFields: readonly Field[];
  /** Set for a type that was dropped: its nodes stay, and nobody sees them. */
  readonly dropped?: TakenAway | undefined;
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
  /** As of a node type. */
  readonly droppedFields: readonly Field[];
  readonly dropped?: TakenAway | undefined;
  readonly byName: ReadonlyMap<string, Field>;
  readonly byNumber: ReadonlyMap<number, Field>;
}

/** No type has this name: it stands for what is hidden because its type was dropped. */
export const HIDDEN = '#hidden';

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
  readonly #hidesNodes: boolean;
  readonly #hidesEdges: boolean;
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
    const [nodes, edges] = [nodeTypes.filter(isPresent), edgeTypes.filter(isPresent)];
    this.#nodeTypesByName = new Map(nodes.map((type) => [type.name, type]));
    this.#edgeTypesByName = new Map(edges.map((type) => [type.name, type]));
    this.#formerNodeTypes = byAlias(nodes);
    this.#formerEdgeTypes = byAlias(edges);
    this.#hidesNodes = nodes.length < nodeTypes.length;
    this.#hidesEdges = edges.length < edgeTypes.length;
  }

  static readonly empty = new SchemaRegistry([], []);

  /** Sorted by their numbers, which begin at 1; those that were dropped are among them. */
  get nodeTypes(): readonly NodeType[] {
    this.#watch?.everything();
    return this.#nodeTypes;
  }

  get edgeTypes(): readonly EdgeType[] {
    this.#watch?.everything();
    return this.#edgeTypes;
  }

  /** Without those that were dropped. */
  get presentNodeTypes(): readonly NodeType[] {
    return this.nodeTypes.filter(isPresent);
  }

  get presentEdgeTypes(): readonly EdgeType[] {
    return this.edgeTypes.filter(isPresent);
  }

  /** Whether there are node types that were dropped, so that nodes may be hidden. */
  get hidesNodes(): boolean {
    this.#watch?.nodeType(HIDDEN);
    return this.#hidesNodes;
  }

  /** Likewise for edge types. */
  get hidesEdges(): boolean {
    this.#watch?.edgeType(HIDDEN);
    return this.#hidesEdges;
  }

  /** Whether the numbered type was dropped; of a type that is not known here it was not. */
  isHiddenNodeType(id: number): boolean {
    return this.#nodeTypes[id - 1]?.dropped !== undefined;
  }

  isHiddenEdgeType(id: number): boolean {
    return this.#edgeTypes[id - 1]?.dropped !== undefined;
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
    return this.#nodeTypes.filter((type) => isPresent(type) && type.byName.has(field));
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
      ...this.presentNodeTypes.flatMap((type) => [
        ...type.aliases.map((alias) => ({ type: type.name, alias })),
        ...type.keyAliases.map((alias) => ({
          type: type.name,
          field: must(type.key, 'a renamed key'),
          alias,
        })),
        ...aliasesOfFields(type.fields).map((one) => ({ type: type.name, ...one })),
      ]),
      ...this.presentEdgeTypes.flatMap((edge) => [
        ...edge.aliases.map((alias) => ({ edge: edge.name, alias })),
        ...aliasesOfFields(edge.fields).map((one) => ({ edge: edge.name, ...one })),
      ]),
    ];
  }

  /** The schema as a document; the same object each time. */
  toDocument(): SchemaDocument {
    return (this.#document ??= {
      nodes: this.presentNodeTypes.map(nodeTypeDocument),
      edges: this.presentEdgeTypes.map(edgeTypeDocument),
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
          ...fieldsOf(type.fields),
          dropped: type.dropped,
          indexes: type.indexes ?? [],
        }),
      ),
      stored.edges.map((type, i) =>
        compileEdgeType({
          id: i + 1,
          name: type.name,
          aliases: type.aliases ?? [],
          inverse: type.inverse,
          ...fieldsOf(type.fields),
          dropped: type.dropped,
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
    /** Absent while it is not dropped. */
    readonly dropped?: TakenAway | undefined;
  }[];
  /** Absent when a version without indexes wrote it. */
  readonly indexNumbers?: IndexNumbers;
  readonly edges: readonly {
    readonly name: string;
    readonly aliases?: readonly string[];
    readonly inverse?: string;
    readonly fields: readonly StoredField[];
    readonly dropped?: TakenAway | undefined;
  }[];
}

export function storedNodeType(type: NodeType): StoredSchema['nodes'][number] {
  return {
    ...withoutUndefined(type),
    fields: storedFields(type),
    ...(type.dropped === undefined ? {} : { dropped: type.dropped }),
    ...(type.indexes.length === 0 ? {} : { indexes: type.indexes.map(storedIndex) }),
  };
}

export function storedEdgeType(type: EdgeType): StoredSchema['edges'][number] {
  const { name, aliases, inverse, dropped } = type;
  return {
    name,
    ...(aliases.length === 0 ? {} : { aliases }),
    ...(inverse === undefined ? {} : { inverse }),
    fields: storedFields(type),
    ...(dropped === undefined ? {} : { dropped }),
  };
}

function byAlias<T extends { readonly aliases: readonly string[] }>(
  types: readonly T[],
): ReadonlyMap<string, T> {
  return new Map(types.flatMap((type) => type.aliases.map((alias) => [alias, type] as const)));
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
