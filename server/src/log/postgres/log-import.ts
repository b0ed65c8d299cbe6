import { createHash, randomBytes } from 'node:crypto';
import type { PoolClient } from 'pg';
import { must } from '#base/assert.ts';
import type { Problem } from '#base/problem.ts';
import { type CommitLog, type LogRecord, recordDigest } from '../commit-log.ts';
import { openCipher } from '../log-manifest.ts';
import { type ArchiveRule, segmentBytesMaxDefault } from '../retention.ts';
import { beginDatabaseLog } from './database-log.ts';
import { rowsCorrupt, unsuitableDatabase } from './database-problem.ts';
import { type HeldSegment, heldSegments, newSegment } from './held-segments.ts';
import type { LeaseTerm } from './log-database.ts';
import type { PostgresAddress } from './postgres-address.ts';
import { PostgresConnections } from './postgres-connections.ts';
import { insertGroup, placeOf, rowsIn } from './postgres-database.ts';
import { type Statements, statementsFor } from './postgres-statements.ts';
import {
  createTables,
  explainingRights,
  lockTables,
  makeRoomForVacuum,
  schemaOf,
} from './postgres-tables.ts';
import { storedGroup, storedRecords } from './stored-records.ts';

export interface LogImport {
  readonly address: PostgresAddress;
  readonly workspace: string;
  /** The log that is copied; nobody appends to it. */
  readonly log: CommitLog;
  readonly encryptionKey?: Uint8Array | undefined;
  readonly archive: ArchiveRule;
  /** Only looks whether it can be done. */
  readonly isDryRun: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (sequence: number, doing: 'copying' | 'verifying') => void;
  /** Everything is there and verified; the transaction is about to be committed. */
  readonly beforeCommit: () => Promise<void>;
}

export interface ImportedLog {
  readonly records: number;
  /** SHA-256 over the digests of all records: the same of what was read and of what is there. */
  readonly digest: string;
}

/** As `createTables` makes it. */
const NOBODY: LeaseTerm = { term: 0, holder: '' };
/** So much goes in one group, which is a row or several. */
const GROUP_BYTES_MAX = 1024 * 1024;
const GROUP_RECORDS_MAX = 1_000;

/**
 * Copies a log with its epoch into a database that has none for the workspace yet. It is one
 * transaction: whatever ends it before its last word, nothing is there. Throws
 * `log_database_unsuitable`, and a `DatabaseFault` whose outcome may be open.
 */
export async function importLog(options: LogImport): Promise<ImportedLog> {
  const { address, workspace } = options;
  const place = placeOf(address, workspace);
  await using connections = new PostgresConnections(address, { max: 1 });
  const imported = await explainingRights({ place, workspace }, () =>
    connections.run(async (client, mark) => {
      await client.query('begin');
      // Reading what is copied may take longer than sessions may rest.
      await client.query('set local idle_in_transaction_session_timeout = 0');
      const tables = await lockTables(client, { place, workspace });
      if (tables.length > 0) throw isThere(place);
      const copied = await new Copy(client, place, options).run();
      if (options.isDryRun) {
        await client.query('rollback');
        return copied;
      }
      await options.beforeCommit();
      mark.sent = true;
      await client.query('commit');
      return copied;
    }),
  );
  if (options.isDryRun) return imported;
  // The log is there, whatever becomes of that: a full volume is only harder to trim without it.
  const makingRoom = connections.run((client) => makeRoomForVacuum(client, schemaOf(workspace)));
  await makingRoom.catch(() => undefined);
  return imported;
}

function isThere(place: string): Problem {
  return unsuitableDatabase(
    place,
    'it holds that workspace already',
    'Choose another MSK_WORKSPACE, or another database.',
  );
}

class Copy {
  readonly #client: PoolClient;
  readonly #place: string;
  readonly #options: LogImport;
  readonly #statements: Statements;

  constructor(client: PoolClient, place: string, options: LogImport) {
    this.#client = client;
    this.#place = place;
    this.#options = options;
    this.#statements = statementsFor(schemaOf(options.workspace));
  }

  async run(): Promise<ImportedLog> {
    const { log, encryptionKey, workspace } = this.#options;
    const beginning = { epoch: log.epoch, after: log.firstSequence - 1 };
    const seed = beginDatabaseLog({ encryptionKey, beginning });
    await createTables(this.#client, { workspace }, seed);
    const cipher = openCipher(this.#place, seed.manifest, encryptionKey, randomBytes);
    const contents = { lease: NOBODY, segments: [seed.segment], end: undefined };
    const segments = heldSegments(this.#place, contents, seed.manifest);
    const given = new Digest();
    for await (const group of groupsOf(log.read(log.firstSequence))) {
      this.#options.signal.throwIfAborted();
      for (const record of group) given.add(record);
      await this.#insert(group, segments, cipher);
    }
    const here = new Digest();
    const reading = storedRecords(log.firstSequence, log.lastSequence, {
      place: this.#place,
      cipher,
      crcSeedOf: (first) => segmentOf(segments, first).crcSeed,
      rows: rowsIn(this.#client, this.#statements),
      gap: async (sequence) => rowsCorrupt(this.#place, sequence, 'rows are missing'),
    });
    for await (const record of reading) {
      this.#options.signal.throwIfAborted();
      here.add(record);
      this.#options.onProgress(record.last, 'verifying');
    }
    if (here.digest !== given.digest) {
      throw rowsCorrupt(this.#place, log.firstSequence, 'it is not what was copied');
    }
    return here;
  }

  async #insert(
    records: readonly LogRecord[],
    segments: HeldSegment[],
    cipher: ReturnType<typeof openCipher>,
  ): Promise<void> {
    const newest = must(segments.at(-1), 'a segment');
    const isFull = newest.bytes >= segmentBytesMaxDefault(this.#options.archive);
    const begun = isFull ? newSegment(newest) : undefined;
    const segment = begun ?? newest;
    const commits = records.map(({ first, last, time, payload }) => {
      return { first, count: last - first + 1, time, payload };
    });
    const group = {
      ...storedGroup(commits, { crcSeed: segment.crcSeed, cipher }),
      ...(begun === undefined ? {} : { segment: begun.stored }),
    };
    await insertGroup(this.#client, this.#statements, { group, lease: NOBODY });
    if (begun !== undefined) segments.push(begun);
    segment.last = group.last;
    segment.newestTime = Math.max(segment.newestTime, group.newestTime);
    segment.bytes += group.chunks.reduce((sum, { length }) => sum + length, 0);
    this.#options.onProgress(group.last, 'copying');
  }
}

function segmentOf(segments: readonly HeldSegment[], sequence: number): HeldSegment {
  return must(
    segments.findLast(({ first }) => first <= sequence),
    'the segment of a row',
  );
}

async function* groupsOf(records: AsyncIterable<LogRecord>): AsyncGenerator<readonly LogRecord[]> {
  let group: LogRecord[] = [];
  let bytes = 0;
  for await (const record of records) {
    group.push(record);
    bytes += record.payload.length;
    if (bytes < GROUP_BYTES_MAX && group.length < GROUP_RECORDS_MAX) continue;
    yield group;
    group = [];
    bytes = 0;
  }
  if (group.length > 0) yield group;
}

class Digest {
  readonly #hash = createHash('sha256');
  #digest: string | undefined;
  records = 0;

  add(record: LogRecord): void {
    this.records++;
    this.#hash.update(recordDigest(record));
  }

  get digest(): string {
    return (this.#digest ??= this.#hash.digest('hex'));
  }
}
