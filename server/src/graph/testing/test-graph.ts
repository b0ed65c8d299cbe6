import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '#base/clock.ts';
import type { CommitLog } from '#log/commit-log.ts';
import { createMemoryLog } from '#log/memory-log.ts';
import type { SnapshotReader } from '#store/key-value.ts';
import { openSnapshotReader } from '#store/snapshot-reader.ts';
import { openState } from '#store/state-writer.ts';
import type { State } from '#store/commit-pipeline.ts';
import { GraphWriter } from '../graph-writer.ts';
import type { WriterOperation } from '../operations.ts';
import { PackedRows } from '../rows/packed-rows.ts';
import { StateReader } from '../state-reader.ts';

export class TestClock implements Clock {
  time = Date.UTC(2026, 0, 1);
  now(): number {
    return this.time;
  }
}

/** A real graph in a temporary folder, with a log in memory. Disposing of it removes the folder. */
export interface TestGraph extends AsyncDisposable {
  readonly writer: GraphWriter;
  readonly reader: StateReader;
  readonly state: State;
  readonly log: CommitLog;
  /** The databases under the reader, to look for entries that should not be there. */
  readonly snapshot: SnapshotReader;
  readonly storage: string;
  readonly clock: TestClock;
  /** Commits operations that a caller could send, and moves the reader to that commit. */
  write(...operations: readonly WriterOperation[]): Promise<void>;
  addSchema(document: Partial<SchemaDocument>): Promise<void>;
  idOf(type: string, key: string): number;
  /** Closes the state and opens it again, with the same log. Returns a new reader. */
  reopen(): Promise<StateReader>;
}

export async function openTestGraph(
  options: { readonly logBytesMax?: number; readonly hashesIndexes?: boolean } = {},
): Promise<TestGraph> {
  const storage = await mkdtemp(join(tmpdir(), 'trellis-graph-'));
  const clock = new TestClock();
  const { logBytesMax, hashesIndexes = false } = options;
  const log = createMemoryLog({
    clock,
    archive: { ttlMs: Infinity, bytesMax: 0 },
    ...(logBytesMax === undefined ? {} : { capacityBytes: logBytesMax }),
  });
  let state = await openState({ storage, log, clock });
  const writer = new GraphWriter(state, clock, { hashesIndexes });
  const snapshot = openSnapshotReader({ storage, environments: ['graph'] });
  const reader = new StateReader(snapshot, snapshot, new PackedRows(snapshot));
  return {
    writer,
    reader,
    state,
    log,
    snapshot,
    storage,
    clock,
    async write(...operations) {
      await writer.commit({ operations });
      reader.refresh();
    },
    async addSchema({ nodes = [], edges = [] }) {
      await writer.commit({ operations: [], schema: { nodes, edges } });
      reader.refresh();
    },
    idOf(type, key) {
      const id = reader.id({ type, key });
      if (id === undefined) throw new Error(`no ${type} "${key}"`);
      return id;
    },
    async reopen() {
      await state[Symbol.asyncDispose]();
      state = await openState({ storage, log, clock });
      return new StateReader(snapshot, snapshot, new PackedRows(snapshot));
    },
    async [Symbol.asyncDispose]() {
      reader[Symbol.dispose]();
      await state[Symbol.asyncDispose]();
      await log[Symbol.asyncDispose]();
      await rm(storage, { recursive: true, force: true });
    },
  };
}

/** The problem that a call throws, without its message, which is for people only. */
export async function problemOf(call: () => unknown): Promise<{ code: unknown; details: unknown }> {
  try {
    await call();
  } catch (error) {
    if (error instanceof Error && 'code' in error && 'details' in error) {
      return { code: error.code, details: error.details };
    }
    throw error;
  }
  throw new Error('expected a problem, but the call went well');
}
