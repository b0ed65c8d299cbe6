import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '#base/clock.ts';
import { lockFolder } from '#log/folder-lock.ts';
import type { CommitLog } from '#log/commit-log.ts';
import { openSegmentLog } from '#log/segment-log.ts';
import { readBatch } from '../batch.ts';
import { DATABASES, type DatabaseNumber } from '../databases.ts';
import type { KeyValueReader } from '../key-value.ts';
import { readStoreKeys } from '../master-key.ts';
import type { HeldReader } from '../held-reader.ts';
import type { Manifest } from '../manifest.ts';
import { digestHeld } from '../snapshot.ts';
import { openSnapshotReader } from '../snapshot-reader.ts';
import { requireStore } from './rewrite-store.ts';
import { settleClaimed } from './settle-rewrite.ts';
import { dropRows } from '../row-state.ts';
import { freeSpaceCheck } from '../storage-problem.ts';
import { openReplayed, type StateOptions } from '../state-writer.ts';

export interface VerifyOptions {
  readonly storage: string;
  readonly masterKey: string | undefined;
  readonly clock: Clock;
  readonly onProgress: (done: number, total: number) => void;
  readonly onStep: (step: string) => void;
  /** Looks at what the state holds, unless it is damaged. */
  readonly onState?: (state: HeldReader) => Promise<Looked>;
}

export interface Looked {
  /** Whether packed rows are wrong. They are dropped then: a start packs them again. */
  readonly areRowsWrong: boolean;
}

export interface Verification {
  readonly epoch: string;
  readonly sequence: number;
  /**
   * The digest of the state's manifest: stores with the same digest hold the same. Null when the
   * state is damaged.
   */
  readonly digest: string | null;
  readonly entries: number;
  readonly log: {
    readonly firstSequence: number;
    readonly lastSequence: number;
    readonly commits: number;
    /** Keys whose newest value in the log was compared with the state. */
    readonly keysCompared: number;
    /** Keys that were not compared, because there were too many. */
    readonly keysLeftOut: number;
    /**
     * Whether the log reaches back to the first commit. Then the state must hold nothing that is
     * not in the log.
     */
    readonly isWhole: boolean;
  };
  /** The first differences between log and state; empty when there are none. */
  readonly differences: readonly string[];
}

const KEEP_ALL = { ttlMs: Number.MAX_SAFE_INTEGER, bytesMax: Number.MAX_SAFE_INTEGER };
/** This many keys take about 300 MB of memory. */
const KEYS_COMPARED_MAX = 2_000_000;
const DIFFERENCES_TOLD_MAX = 20;

/**
 * Reads every record of the log and every entry of the state of a stopped store. The checksum of
 * each record is verified, and its encryption where there is one. For each key, the state must hold
 * the last value that the log has for it. Brings the state up to the log first, as a start does,
 * and drops packed rows that are wrong; changes nothing else. Throws `log_corrupt` and what
 * `openReplayed` throws.
 */
export async function verifyStore(options: VerifyOptions): Promise<Verification> {
  const { storage, masterKey, clock, onStep } = options;
  using _claim = lockFolder(storage);
  settleClaimed(storage, onStep);
  requireStore(storage);
  const { logKey } = readStoreKeys({ storage, masterKey });
  await using log = await openSegmentLog({
    folder: join(storage, 'log'),
    clock,
    archive: KEEP_ALL,
    ...(logKey === undefined ? {} : { encryptionKey: logKey }),
  });
  onStep('bringing the state up to the log');
  const opening = { storage, log, masterKey, clock };
  const { applier } = await openReplayed(opening);
  await applier.close();
  onStep('reading the log');
  const newest = await readLog(log, options);
  onStep('reading the state');
  const { areRowsWrong, ...verification } = await verifyState(log, newest, options);
  if (areRowsWrong) await dropRowsOf(opening);
  return verification;
}

async function verifyState(
  log: CommitLog,
  newest: NewestValues,
  { storage, masterKey, onState }: VerifyOptions,
): Promise<Verification & Looked> {
  using reader = openSnapshotReader({ storage, masterKey, environments: ['graph', 'vault'] });
  using held = reader.hold();
  const damaged = damagedIn(held);
  const manifest = damaged.length > 0 ? undefined : await digestHeld(held);
  const entries = manifest === undefined ? countIn(held) : entriesIn(manifest);
  const differences = damaged.length > 0 ? damaged : compare(newest, held);
  const isWhole = log.firstSequence === 1 && newest.keysLeftOut === 0;
  if (isWhole && differences.length === 0 && newest.live !== entries) {
    differences.push(`the state has ${entries} entries, and the log wrote ${newest.live}`);
  }
  const looked = damaged.length === 0 ? await onState?.(held) : undefined;
  const { firstSequence, lastSequence } = log;
  const { commits, keysLeftOut, values } = newest;
  return {
    epoch: held.epoch,
    sequence: held.sequence,
    digest: manifest?.digest ?? null,
    entries,
    log: {
      firstSequence,
      lastSequence,
      commits,
      keysCompared: values.size,
      keysLeftOut,
      isWhole,
    },
    differences,
    areRowsWrong: looked?.areRowsWrong === true,
  };
}

async function dropRowsOf(opening: StateOptions): Promise<void> {
  const { applier } = await openReplayed(opening);
  try {
    await dropRows(applier.localState(() => false, freeSpaceCheck(opening.storage)));
  } finally {
    await applier.close();
  }
}

interface NewestValues {
  /** A digest of the value, by database and key; null when the entry was deleted. */
  readonly values: ReadonlyMap<string, string | null>;
  readonly commits: number;
  readonly keysLeftOut: number;
  /** The number of keys that have a value. */
  readonly live: number;
}

async function readLog(log: CommitLog, { onProgress }: VerifyOptions): Promise<NewestValues> {
  const values = new Map<string, string | null>();
  const leftOut = new Set<string>();
  let commits = 0;
  const { firstSequence, lastSequence } = log;
  const records = firstSequence > lastSequence ? [] : log.read(firstSequence);
  for await (const { last, payload } of records) {
    commits++;
    readBatch(payload, (db, key, value) => {
      const name = nameOf(db, key);
      if (values.size < KEYS_COMPARED_MAX || values.has(name)) {
        values.set(name, value === undefined ? null : digestOf(value));
      } else if (leftOut.size < KEYS_COMPARED_MAX) {
        leftOut.add(name);
      }
    });
    onProgress(last - firstSequence + 1, lastSequence - firstSequence + 1);
  }
  let live = 0;
  for (const value of values.values()) if (value !== null) live++;
  return { values, commits, keysLeftOut: leftOut.size, live };
}

/** The entries whose check or seal does not match. */
function damagedIn(state: HeldReader): string[] {
  const damaged: string[] = [];
  for (const { number, name } of DATABASES) {
    state.inspect(number, new Uint8Array(0), (key, isDamaged) => {
      if (isDamaged) damaged.push(`${name} is damaged under ${Buffer.from(key).toString('hex')}`);
      return damaged.length < DIFFERENCES_TOLD_MAX;
    });
  }
  return damaged.slice(0, DIFFERENCES_TOLD_MAX);
}

function compare({ values }: NewestValues, state: KeyValueReader): string[] {
  const differences: string[] = [];
  for (const [name, expected] of values) {
    const [db, key] = placeOf(name);
    const value = state.get(db, key);
    if ((value === undefined ? null : digestOf(value)) === expected) continue;
    const database = DATABASES.find(({ number }) => number === db)?.name ?? String(db);
    const has = value === undefined ? 'nothing' : expected === null ? 'a value' : 'another value';
    differences.push(`${database} has ${has} under ${Buffer.from(key).toString('hex')}`);
    if (differences.length >= DIFFERENCES_TOLD_MAX) break;
  }
  return differences;
}

function nameOf(db: DatabaseNumber, key: Uint8Array): string {
  return String.fromCharCode(db) + Buffer.from(key).toString('latin1');
}

function placeOf(name: string): readonly [DatabaseNumber, Uint8Array] {
  // The reverse of `nameOf`.
  return [name.charCodeAt(0) as DatabaseNumber, Buffer.from(name.slice(1), 'latin1')];
}

function digestOf(value: Uint8Array): string {
  return createHash('sha256').update(value).digest('base64').slice(0, 22);
}

function entriesIn(manifest: Manifest): number {
  return manifest.databases
    .flatMap(({ pieces }) => pieces)
    .reduce((sum, { entries }) => sum + entries, 0);
}

function countIn(state: HeldReader): number {
  return DATABASES.reduce((sum, { number }) => sum + state.count(number), 0);
}
