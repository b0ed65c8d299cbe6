import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { assert } from '#base/assert.ts';
import type { Clock } from '#base/clock.ts';
import type { SnapshotReaderOptions } from '#store/snapshot-reader.ts';
import { TrialState } from '#store/trial-state.ts';
import { GraphWriter } from './graph-writer.ts';
import type { CommitPort, CommitRequest, CommitResult, WriterOperation } from './operations.ts';
import type { GraphReader } from './reader.ts';
import type { SchemaEdits } from './schema-edits.ts';
import { StateReader } from './state-reader.ts';

type VaultRecord = NonNullable<CommitRequest['vault']>[number];

/** Where services work whose changes are to become one commit. */
export interface Staging {
  /** Shows the workspace as it will be, with everything that was committed here so far. */
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  /** Has work done once the one commit is made, and never when it is not. */
  readonly afterwards: (work: () => unknown) => void;
}

/**
 * Commits of the server itself that are checked and built as real ones are, over the newest state,
 * and see each other. They change nothing: all of them together are one request, for the writer.
 * That is refused when somebody else has changed what one of them was built on and named with
 * `ifVersion`.
 */
export class StagedCommits implements Staging, AsyncDisposable {
  readonly reader: StateReader;
  readonly commits: CommitPort;
  readonly afterwards: Staging['afterwards'];
  readonly #state: TrialState;
  readonly #writer: GraphWriter;
  readonly #operations: WriterOperation[] = [];
  readonly #vault: VaultRecord[] = [];
  readonly #afterwards: (() => unknown)[] = [];
  #schema: SchemaDocument | undefined;
  #edits: SchemaEdits | undefined;
  #ofEdits = 0;

  private constructor(state: TrialState, clock: Clock) {
    this.#state = state;
    this.#writer = new GraphWriter(state, clock);
    this.reader = new StateReader(state.view, {
      refresh: () => state.sequence,
      get sequence() {
        return state.sequence;
      },
    });
    this.commits = { commit: (request) => this.#commit(request) };
    this.afterwards = (work) => void this.#afterwards.push(work);
  }

  /** Records of the vault that were committed here so far; the reader does not show them. */
  get vault(): readonly VaultRecord[] {
    return this.#vault;
  }

  /** Holds the newest commit until it is disposed: for seconds, not for hours. */
  static open(
    options: Omit<SnapshotReaderOptions, 'environments'> & { readonly clock: Clock },
  ): StagedCommits {
    const { clock, ...place } = options;
    return new StagedCommits(TrialState.open(place), clock);
  }

  /** Everything that was committed here so far. */
  request(): CommitRequest {
    return {
      operations: this.#operations,
      system: true,
      ...(this.#schema === undefined ? {} : { schema: this.#schema }),
      ...(this.#edits === undefined ? {} : { edits: this.#edits }),
      ...(this.#vault.length === 0 ? {} : { vault: this.#vault }),
    };
  }

  /** To be called once the request is committed. */
  async committed(): Promise<void> {
    for (const work of this.#afterwards) await work();
  }

  async #commit(request: CommitRequest): Promise<CommitResult> {
    const { operations, schema, edits, system, vault = [], ...others } = request;
    // The one commit takes edits and a schema in before all operations, also before those staged
    // first. What edits of the schema bring along are settings, which no schema changes.
    const { length } = this.#operations;
    const isInOrder =
      (edits === undefined || (length === 0 && this.#schema === undefined)) &&
      (schema === undefined || (length === this.#ofEdits && operations.length === 0));
    const isOurs = operations.length === 0 || system === true;
    assert(isInOrder && isOurs, 'staged are edits, then a schema, then operations of the server');
    assert(Object.keys(others).length === 0, 'nothing else is staged');
    const result = await this.#writer.commit(request);
    this.#schema ??= schema;
    this.#edits ??= edits;
    this.#operations.push(...operations);
    this.#vault.push(...vault);
    if (edits !== undefined) this.#ofEdits = operations.length;
    return result;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#state[Symbol.asyncDispose]();
  }
}
