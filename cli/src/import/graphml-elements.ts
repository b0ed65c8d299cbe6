import { nodeUid } from '@trellis/client/uid.ts';
import { GRAPHML_NAMES } from '@trellis/contract/graphml-names.ts';
import { SCHEMA_FIELDS_PER_TYPE_MAX } from '@trellis/contract/limits.ts';
import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import type { FieldType, SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { exactValue } from './exact-text.ts';
import type { GraphmlElement, GraphmlPart } from './graphml-reader.ts';
import { SchemaNames } from './schema-names.ts';
import type { ToldSchema } from './told-schema.ts';

export type GraphmlKey = GraphmlPart & { readonly kind: 'key' };
/** By their ids. */
export type GraphmlKeys = ReadonlyMap<string, GraphmlKey>;

/** Makes operations of elements. Both throw an `Error` that says what is wrong with one. */
export interface GraphmlElements {
  node(element: GraphmlElement): GraphOperation[];
  edge(element: GraphmlElement): GraphOperation[];
}

type Reference = { readonly uid: string } | { readonly type: string; readonly key: string };

/** As an export has them, or another program that has read and written an export. */
export class ExportedElements implements GraphmlElements {
  readonly #keys: GraphmlKeys;
  readonly #schema: ToldSchema;
  /** The nodes whose UID does not follow from type and key, since the type was renamed. */
  readonly #renamed = new Map<string, Reference>();

  constructor(keys: GraphmlKeys, schema: ToldSchema) {
    this.#keys = keys;
    this.#schema = schema;
  }

  node({ attributes, data }: GraphmlElement): GraphOperation[] {
    const uid = attribute(attributes, 'id');
    const { type, timestamp, aliases, key, fields } = this.#read(data, (name) =>
      this.#schema.nodeType(name),
    );
    const name: Reference = key === undefined ? { uid } : { type, key };
    if (key !== undefined && nodeUid(type, key) !== uid) this.#renamed.set(uid, name);
    return [
      {
        op: 'addOrUpdate',
        type,
        ...name,
        ...(timestamp !== undefined && { timestamp }),
        fields,
        ...(aliases !== undefined && { aliases }),
      },
    ];
  }

  edge({ attributes, data }: GraphmlElement): GraphOperation[] {
    const { type, timestamp, fields } = this.#read(data, (name) => this.#schema.edgeType(name));
    return [
      {
        op: 'link',
        from: this.#reference(attribute(attributes, 'source')),
        edge: type,
        to: this.#reference(attribute(attributes, 'target')),
        ...(timestamp !== undefined && { timestamp }),
        ...(Object.keys(fields).length > 0 && { fields }),
      },
    ];
  }

  #reference(uid: string): Reference {
    return this.#renamed.get(uid) ?? { uid };
  }

  #read(
    data: ReadonlyMap<string, string>,
    typeOf: (
      name: string,
    ) => { readonly fields?: Readonly<Record<string, FieldType>> | undefined } | undefined,
  ) {
    const texts = new Map([...data].map(([id, text]) => [keyOf(this.#keys, id).name, text]));
    const taken = (name: string): string | undefined => {
      const text = texts.get(name);
      texts.delete(name);
      return text;
    };
    const type = taken(GRAPHML_NAMES.type);
    if (type === undefined) throw new Error(`its data has no ${GRAPHML_NAMES.type}`);
    const timestamp = taken(GRAPHML_NAMES.timestamp);
    const aliases = taken(GRAPHML_NAMES.aliases);
    const { [GRAPHML_NAMES.key]: hardKey, ...more } = objectOf(taken(GRAPHML_NAMES.more) ?? '{}');
    const key = taken(GRAPHML_NAMES.key) ?? (typeof hardKey === 'string' ? hardKey : undefined);
    const types = typeOf(type)?.fields ?? {};
    const fields = Object.fromEntries(
      [...texts].map(([name, text]) => [
        name,
        exactValue((Object.hasOwn(types, name) ? types[name] : undefined) ?? 'String', text),
      ]),
    );
    return {
      type,
      timestamp,
      aliases: aliases === undefined ? undefined : textsOf(aliases),
      key,
      fields: { ...fields, ...more } as Record<string, unknown>,
    };
  }
}

export interface OtherElementsOptions {
  /** The type of all nodes. */
  readonly type: string;
  /** The type of all edges. */
  readonly edge: string;
  /** The name of the data whose text is the key of a node; the id when there is none. */
  readonly key: string | undefined;
}

/** As other programs write them: all nodes become of one type, and all edges. */
export class OtherElements implements GraphmlElements {
  readonly #keys: GraphmlKeys;
  readonly #options: OtherElementsOptions;
  readonly #nodeFields: ReadonlyMap<string, OtherField>;
  readonly #edgeFields: ReadonlyMap<string, OtherField>;
  /** Keys of nodes by their ids, where these differ. */
  readonly #nodes = new Map<string, string>();

  /** Throws an `Error` when there are too many keys. */
  constructor(keys: GraphmlKeys, options: OtherElementsOptions) {
    this.#keys = keys;
    this.#options = options;
    const own = [...keys.values()].filter(({ name }) => name !== options.key);
    this.#nodeFields = otherFields(own, 'node');
    this.#edgeFields = otherFields(own, 'edge');
  }

  schema(): SchemaDocument {
    const typesOf = (fields: ReadonlyMap<string, OtherField>) =>
      Object.fromEntries([...fields.values()].map(({ name, type }) => [name, type]));
    const { type, edge } = this.#options;
    return {
      nodes: [{ type, fields: typesOf(this.#nodeFields) }],
      edges: [{ type: edge, fields: typesOf(this.#edgeFields) }],
    };
  }

  node({ attributes, data }: GraphmlElement): GraphOperation[] {
    const id = attribute(attributes, 'id');
    const key = this.#keyIn(data) ?? id;
    if (key !== id) this.#nodes.set(id, key);
    const fields = this.#fields(this.#nodeFields, data);
    return [{ op: 'addOrUpdate', type: this.#options.type, key, fields }];
  }

  edge({ attributes, data }: GraphmlElement): GraphOperation[] {
    const [from, to] = [this.#end(attributes, 'source'), this.#end(attributes, 'target')];
    const fields = this.#fields(this.#edgeFields, data);
    return [
      // A node may come after its edges.
      { op: 'tryAdd', ...from },
      { op: 'tryAdd', ...to },
      {
        op: 'link',
        from,
        edge: this.#options.edge,
        to,
        ...(Object.keys(fields).length > 0 && { fields }),
      },
    ];
  }

  #end(attributes: Readonly<Record<string, string>>, name: 'source' | 'target') {
    const id = attribute(attributes, name);
    const known = this.#nodes.get(id);
    if (this.#options.key !== undefined && known === undefined) {
      throw new Error(
        `no node before it has the id "${id.slice(0, 100)}" and ${this.#options.key}`,
      );
    }
    return { type: this.#options.type, key: known ?? id };
  }

  #keyIn(data: ReadonlyMap<string, string>): string | undefined {
    const { key } = this.#options;
    if (key === undefined) return undefined;
    for (const [id, text] of data) if (keyOf(this.#keys, id).name === key) return text;
    throw new Error(`it has no ${key}, which --key names`);
  }

  #fields(
    known: ReadonlyMap<string, OtherField>,
    data: ReadonlyMap<string, string>,
  ): Record<string, unknown> {
    for (const id of data.keys()) keyOf(this.#keys, id);
    const fields: Record<string, unknown> = {};
    for (const [id, { name, type, usual }] of known) {
      const text = data.get(id) ?? usual;
      // No number is written as nothing.
      if (text === undefined || (text.trim() === '' && type !== 'String')) continue;
      fields[name] = exactValue(type, type === 'Bool' ? text.trim().toLowerCase() : text);
    }
    return fields;
  }
}

interface OtherField {
  readonly name: string;
  readonly type: FieldType;
  /** What an element has that says nothing else. */
  readonly usual: string | undefined;
}

/** As networkx, Gephi and others call them. */
const OTHER_TYPES: Readonly<Record<string, FieldType>> = {
  boolean: 'Bool',
  byte: 'Int',
  short: 'Int',
  int: 'Int',
  integer: 'Long',
  long: 'Long',
  float: 'Double',
  double: 'Double',
};

function otherFields(
  keys: readonly GraphmlKey[],
  what: 'node' | 'edge',
): ReadonlyMap<string, OtherField> {
  const names = new SchemaNames(true);
  const fields = keys
    .filter((key) => key.for === what || key.for === 'all')
    .map(({ id, name, type, default: usual }): [string, OtherField] => {
      const known = Object.hasOwn(OTHER_TYPES, type) ? OTHER_TYPES[type] : undefined;
      return [id, { name: names.take(name), type: known ?? 'String', usual }];
    });
  if (fields.length > SCHEMA_FIELDS_PER_TYPE_MAX) {
    throw new Error(`there are more than ${SCHEMA_FIELDS_PER_TYPE_MAX} keys for ${what}s`);
  }
  return new Map(fields);
}

function keyOf(keys: GraphmlKeys, id: string): GraphmlKey {
  const key = keys.get(id);
  if (key !== undefined) return key;
  throw new Error(`no <key> with the id "${id.slice(0, 100)}" stands before the graph`);
}

function attribute(attributes: Readonly<Record<string, string>>, name: string): string {
  const text = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
  if (text !== undefined && text !== '') return text;
  throw new Error(`it has no attribute "${name}"`);
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = exactValue('Json', text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new Error(`${GRAPHML_NAMES.more} is no object of JSON`);
}

function textsOf(text: string): string[] {
  const value: unknown = exactValue('Json', text);
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw new Error(`${GRAPHML_NAMES.aliases} is no list of texts`);
}
