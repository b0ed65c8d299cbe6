import type { IndexDocument, SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { Caller } from '#access/caller.ts';
import { fieldNamesOf } from '#graph/indexes/field-index.ts';
import { isSystemName } from '#graph/names.ts';
import { mergeSchema } from '#graph/schema-merge.ts';
import { SchemaRegistry } from '#graph/schema-registry.ts';
import type { EdgeTypeDocument, NodeTypeDocument } from '#graph/schema.ts';
import type { Definition, DefinitionKind, Importer } from '../definition-kind.ts';

/** As much of the schema service as it takes. */
interface Schemas {
  put(caller: Caller, document: SchemaDocument): Promise<SchemaDocument>;
}

/**
 * Types are sorted by name; fields keep their order, in which people see them. Nothing is ever
 * taken away.
 */
export class SchemaKind implements DefinitionKind {
  readonly kind = 'schema';
  readonly layout = { file: 'schema.json' };
  readonly #schemas: Schemas;
  readonly #whole: () => SchemaDocument;
  readonly #parse: (document: Definition) => SchemaDocument;

  /**
   * `whole` is the schema with the types of the server. `parse` throws `invalid_request` for what a
   * request would be refused for.
   */
  constructor(
    schemas: Schemas,
    whole: () => SchemaDocument,
    parse: (document: Definition) => SchemaDocument,
  ) {
    this.#schemas = schemas;
    this.#whole = whole;
    this.#parse = parse;
  }

  names(): string[] {
    return [this.kind];
  }

  read(): Definition {
    return tidy(this.#whole());
  }

  parse(given: Definition): Definition {
    return tidy(this.#parse({ nodes: [], edges: [], ...given }));
  }

  /** Throws `schema_conflict` for what would lose data. */
  merge(_before: Definition | undefined, given: Definition): Definition {
    return tidy(this.#merged(given));
  }

  async write(
    { caller }: Importer,
    _name: string,
    { after }: { readonly after: Definition },
  ): Promise<[]> {
    await this.#schemas.put(caller, this.#parse(after));
    return [];
  }

  #merged(given: Definition): SchemaDocument {
    const known = mergeSchema(SchemaRegistry.empty, this.#whole(), { system: true });
    return mergeSchema(known, this.#parse(given), { system: false }).toDocument();
  }
}

function tidy({ nodes, edges }: SchemaDocument): Definition {
  return {
    nodes: nodes.filter(isOwn).toSorted(byType).map(tidyNode),
    edges: edges.filter(isOwn).toSorted(byType).map(tidyEdge),
  };
}

function tidyNode(node: NodeTypeDocument): NodeTypeDocument {
  const { type, key, timestamp, label, fields, indexes = [] } = node;
  return {
    type,
    ...(key === undefined ? {} : { key }),
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(label === undefined ? {} : { label }),
    fields: { ...fields },
    ...(indexes.length === 0 ? {} : { indexes: indexes.map(tidyIndex).toSorted(byFields) }),
  };
}

/** Without how far it is. */
function tidyIndex({ field, fields, unique }: IndexDocument): IndexDocument {
  const name = field === undefined ? { fields } : { field };
  return { ...name, ...(unique === true ? { unique } : {}) };
}

function byFields(a: IndexDocument, b: IndexDocument): number {
  const [one, other] = [a, b].map((index) => fieldNamesOf(index).join('\n'));
  return one === other ? 0 : String(one) < String(other) ? -1 : 1;
}

function tidyEdge({ type, inverse, fields = {} }: EdgeTypeDocument): EdgeTypeDocument {
  return {
    type,
    ...(inverse === undefined ? {} : { inverse }),
    ...(Object.keys(fields).length === 0 ? {} : { fields: { ...fields } }),
  };
}

function isOwn({ type }: { readonly type: string }): boolean {
  return !isSystemName(type);
}

function byType(a: { readonly type: string }, b: { readonly type: string }): number {
  return a.type < b.type ? -1 : 1;
}
