import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
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
    return {
      nodes: nodes.filter((node) => !node.type.startsWith('_')),
      edges: edges.filter((edge) => !isSystemEdge(edge.type)),
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
}

function isSystemEdge(type: string): boolean {
  return type.startsWith('_') || type.startsWith('RestrictAccessTo');
}
