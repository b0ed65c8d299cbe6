import type {
  IndexDocument,
  IndexReference,
  SchemaDocument,
} from '@trellis/contract/shapes/schema-document.ts';
import { fieldNamesOf } from '#graph/indexes/field-index.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader, IndexState } from '#graph/reader.ts';
import type { Staging } from '#graph/staged-commits.ts';
import type { Caller } from './caller.ts';

/** The schema as callers read and widen it. System types are the server's own and not shown. */
export class SchemaService {
  readonly #reader: GraphReader;
  readonly #commits: CommitPort;
  readonly #onPut: () => void;

  /** `onPut` is called after each commit of `put`, which need not have changed anything. */
  constructor(reader: GraphReader, commits: CommitPort, onPut: () => void) {
    this.#reader = reader;
    this.#commits = commits;
    this.#onPut = onPut;
  }

  get(_caller: Caller): SchemaDocument {
    this.#reader.refresh();
    const { nodes, edges } = this.#reader.schema();
    const aliases = this.#reader.schemaAliases();
    const states = Map.groupBy(this.#reader.indexes(), ({ type }) => type);
    return {
      nodes: nodes
        .filter((node) => !node.type.startsWith('_'))
        .map((node) => withStates(node, states.get(node.type))),
      edges: edges.filter((edge) => !isSystemEdge(edge.type)),
      ...(aliases.length === 0 ? {} : { aliases: [...aliases] }),
    };
  }

  /**
   * Adds and widens; the problem `schema_conflict` when the change would lose data. Answers the
   * whole schema.
   */
  async put(caller: Caller, document: SchemaDocument): Promise<SchemaDocument> {
    await this.#commits.commit({ operations: [], schema: document });
    this.#onPut();
    return this.get(caller);
  }

  /** The same, as a part of a larger commit. */
  over({ reader, commits, afterwards }: Staging): SchemaService {
    return new SchemaService(reader, commits, () => afterwards(this.#onPut));
  }

  /** Takes an index out of the schema; its entries go afterwards. Throws `index_not_found`. */
  async removeIndex(_caller: Caller, { type, ...index }: IndexReference): Promise<void> {
    const fields = fieldNamesOf(index);
    await this.#commits.commit({
      operations: [],
      system: true,
      indexWork: { remove: { type, fields } },
    });
    this.#onPut();
  }
}

type NodeTypeOf = SchemaDocument['nodes'][number];

/** A type with what is known of its indexes, which are in the same order. */
function withStates(type: NodeTypeOf, states: readonly IndexState[] = []): NodeTypeOf {
  if (type.indexes === undefined) return type;
  const indexes = type.indexes.map((index, i): IndexDocument => {
    const state = states[i];
    if (state === undefined) return index;
    return { ...index, state: state.isReady ? 'ready' : 'building', entries: state.entries };
  });
  return { ...type, indexes };
}

function isSystemEdge(type: string): boolean {
  return type.startsWith('_') || type.startsWith('RestrictAccessTo');
}
