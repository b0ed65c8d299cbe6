import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '#access/caller.ts';
import { mergeSchema } from '#graph/schema-merge.ts';
import { SchemaRegistry } from '#graph/schema-registry.ts';
import type { JsonObject } from '../../router/json-members.ts';
import {
  type Approver,
  type DefinitionKind,
  invalidChange,
  type ProposedChange,
  type WantedChange,
} from '../proposal.ts';

/** The part of the schema service that this kind uses. */
export interface Schemas {
  get(caller: Caller): SchemaDocument;
  put(caller: Caller, document: SchemaDocument): Promise<SchemaDocument>;
}

const NAME = 'schema';

/** The whole schema is one definition; a change of it shows only the types that it names. */
export class SchemaKind implements DefinitionKind {
  readonly description =
    'schema (its name is "schema", its action "change"): {nodes?: [{type, key?, fields: {name: fieldType}, timestamp?, label?}], edges?: ' +
    '[{type, inverse?, fields?}]}, only types and fields to add or to widen: nothing is taken away; a fieldType is String, Int, Long, ' +
    'Float, Double, Decimal, Bool, Time, UID, GeoPoint, Json or Bytes, or a list such as "String[]"';
  readonly #schemas: Schemas;
  readonly #whole: () => SchemaDocument;
  readonly #parse: (document: JsonObject) => SchemaDocument;

  /**
   * `whole` is the schema with the types of the server. `parse` throws `invalid_request` where a
   * request with this value would be refused.
   */
  constructor(
    schemas: Schemas,
    whole: () => SchemaDocument,
    parse: (document: JsonObject) => SchemaDocument,
  ) {
    this.#schemas = schemas;
    this.#whole = whole;
    this.#parse = parse;
  }

  list(caller: Caller) {
    const { nodes, edges } = this.#schemas.get(caller);
    return [{ name: NAME, summary: `${nodes.length} types of nodes, ${edges.length} of edges` }];
  }

  read(caller: Caller, name: string): JsonObject | undefined {
    return name === NAME ? { ...this.#schemas.get(caller) } : undefined;
  }

  /** Throws `schema_conflict` for what would lose data. */
  propose(caller: Caller, { kind, name, action, definition }: WantedChange): ProposedChange {
    if (name !== NAME || action !== 'change' || definition === undefined) {
      throw invalidChange(
        'The schema is changed under the name "schema"; it is neither made nor deleted',
      );
    }
    const document = this.#parse({ nodes: [], edges: [], ...definition });
    const after = named(this.#merged(document), document);
    const before = named(this.#schemas.get(caller), after);
    if (isDeepStrictEqual(before, after)) {
      throw invalidChange('The schema contains all of this already');
    }
    return { kind, name, action, before: { ...before }, after: { ...after } };
  }

  current(caller: Caller, { after }: ProposedChange): JsonObject | null {
    return after === null ? null : { ...named(this.#schemas.get(caller), this.#parse(after)) };
  }

  /** The schema with what is proposed. */
  outlook(changes: readonly ProposedChange[]): SchemaDocument {
    const change = changes.find(({ kind }) => kind === 'schema');
    const after = change?.after ?? null;
    return after === null ? this.#whole() : this.#merged(this.#parse(after));
  }

  async check(): Promise<[]> {
    // `propose` has already refused everything that could be wrong.
    return [];
  }

  widenedBy({ before, after }: ProposedChange): string[] {
    const known = new Map(
      this.#parse(before ?? { nodes: [], edges: [] }).nodes.map((type) => [type.type, type]),
    );
    return this.#parse(after ?? { nodes: [], edges: [] }).nodes.flatMap(({ type, fields }) => {
      const was = known.get(type);
      if (was === undefined)
        return [`Every signed-in user may read nodes of the new type ${type}.`];
      return Object.keys(fields)
        .filter((field) => was.fields[field] === undefined)
        .map((field) => `Whoever sees a ${type} may read its new field ${field}.`);
    });
  }

  async commit({ caller }: Approver, { after }: ProposedChange): Promise<null> {
    if (after !== null) await this.#schemas.put(caller, this.#parse(after));
    return null;
  }

  #merged(document: SchemaDocument): SchemaDocument {
    const known = mergeSchema(SchemaRegistry.empty, this.#whole(), { system: true });
    return mergeSchema(known, document, { system: false }).toDocument();
  }
}

/** The types of a schema that another schema names. */
function named(schema: SchemaDocument, names: SchemaDocument): SchemaDocument {
  const nodes = new Set(names.nodes.map(({ type }) => type));
  const edges = new Set(
    names.edges.flatMap(({ type, inverse }) => (inverse === undefined ? [type] : [type, inverse])),
  );
  return {
    nodes: schema.nodes.filter(({ type }) => nodes.has(type)),
    edges: schema.edges.filter(({ type }) => edges.has(type)),
  };
}
