import type { Clock } from '#base/clock.ts';
import {
  TRIAL_BYTES_MAX,
  TRIAL_COMMIT_OPERATIONS_MAX,
  TRIAL_OPERATIONS_MAX,
} from '#base/migration-limits.ts';
import { Problem } from '#base/problem.ts';
import { DB, type DatabaseNumber } from '#store/databases.ts';
import type { KeyValueReader, StateWriter, WriteBatch } from '#store/key-value.ts';
import type { SnapshotReaderOptions } from '#store/snapshot-reader.ts';
import { TrialState } from '#store/trial-state.ts';
import { GraphWriter } from './graph-writer.ts';
import { edgeOfKey } from './keys.ts';
import { NodeRecord } from './node-record.ts';
import type { CommitPort, CommitRequest, CommitResult } from './operations.ts';
import { SchemaSource } from './schema-source.ts';

/** What commits would do to the nodes, or the edges, of one type; each is counted once. */
export interface TypeChanges {
  readonly type: string;
  readonly created: number;
  readonly changed: number;
  readonly deleted: number;
}

export interface TrialChanges {
  /** By type; those of built-in types, which only the server writes, are left out. */
  readonly nodes: readonly TypeChanges[];
  /** An inverse counts as an edge of its own type. */
  readonly edges: readonly TypeChanges[];
}

/** Commits that are checked and built as real ones are, see each other, and change nothing. */
export class TrialCommits implements CommitPort, AsyncDisposable {
  readonly #state: TrialState;
  readonly #writer: GraphWriter;
  readonly #nodes = new TouchedKeys(DB.nodes);
  readonly #edges = new TouchedKeys(DB.out);
  #isFull = false;

  private constructor(state: TrialState, clock: Clock) {
    this.#state = state;
    this.#writer = new GraphWriter(this.#observed(state), clock);
  }

  /** Over the newest commit of the state. */
  static open(
    options: Omit<SnapshotReaderOptions, 'environments'> & { readonly clock: Clock },
  ): TrialCommits {
    return new TrialCommits(TrialState.open(options), options.clock);
  }

  /** More was to be written than fits: what comes after it is not counted. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** As a `GraphWriter`; rejects with `invalid_request` when it gets too much. */
  commit(request: CommitRequest): Promise<CommitResult> {
    return this.#writer.commit(request);
  }

  /** What has come of all commits together. */
  changes(): TrialChanges {
    const { base, view } = this.#state;
    const source = new SchemaSource(view);
    source.revalidate();
    const { registry } = source;
    const node = new NodeRecord();
    const nodeType: TypeOf = (_key, value) => {
      node.open(value);
      return registry.nodeTypeById(node.typeId).name;
    };
    const edgeType: TypeOf = (key) => registry.edgeTypeById(edgeOfKey(key)).name;
    return {
      nodes: this.#nodes.changes(base, view, nodeType).filter(({ type }) => !type.startsWith('_')),
      edges: this.#edges.changes(base, view, edgeType),
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#state[Symbol.asyncDispose]();
  }

  /** Notes which nodes and edges the commits touch that are not refused. */
  #observed(state: TrialState): StateWriter {
    const touched = [this.#nodes, this.#edges];
    return {
      view: state.view,
      get sequence() {
        return state.sequence;
      },
      commit: async (build) => {
        const { operations, bytes } = state.size;
        this.#isFull ||= operations >= TRIAL_OPERATIONS_MAX || bytes >= TRIAL_BYTES_MAX;
        const check = (count: number): void => {
          this.#isFull ||= count > TRIAL_COMMIT_OPERATIONS_MAX;
          if (this.#isFull) throw tooMuch();
        };
        check(0);
        return state.commit((batch) => {
          const result = build(new ObservedBatch(batch, touched, check));
          // At once: the next commit may be built before this one is awaited.
          for (const keys of touched) keys.keep();
          return result;
        });
      },
      ready: () => state.ready(),
      [Symbol.asyncDispose]: () => state[Symbol.asyncDispose](),
    };
  }
}

type TypeOf = (key: Uint8Array, value: Uint8Array) => string;

/** The keys of one database that commits have put or deleted. */
class TouchedKeys {
  readonly db: DatabaseNumber;
  readonly #kept = new Set<string>();
  /** Of the commit that is being built. */
  #begun: string[] = [];

  constructor(db: DatabaseNumber) {
    this.db = db;
  }

  begin(): void {
    this.#begun = [];
  }

  add(key: Uint8Array): void {
    this.#begun.push(Buffer.from(key).toString('latin1'));
  }

  keep(): void {
    for (const key of this.#begun) this.#kept.add(key);
    this.begin();
  }

  changes(base: KeyValueReader, view: KeyValueReader, typeOf: TypeOf): TypeChanges[] {
    const byType = new Map<string, { created: number; changed: number; deleted: number }>();
    for (const name of this.#kept) {
      const key = Buffer.from(name, 'latin1');
      const isBefore = base.has(this.db, key);
      const isAfter = view.has(this.db, key);
      const value = (isAfter ? view : base).get(this.db, key);
      // Created and deleted again: nothing has come of it.
      if (value === undefined) continue;
      const type = typeOf(key, value);
      const counts = byType.get(type) ?? { created: 0, changed: 0, deleted: 0 };
      byType.set(type, counts);
      if (!isAfter) counts.deleted++;
      else if (isBefore) counts.changed++;
      else counts.created++;
    }
    return Array.from(byType, ([type, counts]) => ({ type, ...counts })).toSorted((a, b) =>
      a.type < b.type ? -1 : 1,
    );
  }
}

class ObservedBatch implements WriteBatch {
  readonly #batch: WriteBatch;
  readonly #touched: readonly TouchedKeys[];
  readonly #check: (count: number) => void;

  constructor(batch: WriteBatch, touched: readonly TouchedKeys[], check: (count: number) => void) {
    this.#batch = batch;
    this.#check = check;
    this.#touched = touched;
    for (const keys of touched) keys.begin();
  }

  get count(): number {
    return this.#batch.count;
  }

  get payload(): Uint8Array {
    return this.#batch.payload;
  }

  get nextSequence(): number {
    return this.#batch.nextSequence;
  }

  put(db: DatabaseNumber, key: Uint8Array, value: Uint8Array): void {
    this.#note(db, key);
    this.#batch.put(db, key, value);
  }

  delete(db: DatabaseNumber, key: Uint8Array): void {
    this.#note(db, key);
    this.#batch.delete(db, key);
  }

  #note(db: DatabaseNumber, key: Uint8Array): void {
    this.#check(this.count);
    for (const keys of this.#touched) if (keys.db === db) keys.add(key);
  }
}

function tooMuch(): Problem {
  return new Problem('invalid_request', 'This is more than a dry run may write', {
    hint: 'What it has counted so far is in its answer; more can be known only by running it.',
  });
}
