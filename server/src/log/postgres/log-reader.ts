import { randomBytes } from 'node:crypto';
import { must } from '#base/assert.ts';
import type { CommitLog, LogRecord } from '../commit-log.ts';
import { openCipher } from '../log-manifest.ts';
import { logTrimmed, requireReadable } from '../log-problem.ts';
import { databaseProblem, rowsCorrupt } from './database-problem.ts';
import { heldSegments } from './held-segments.ts';
import type { LogDatabase } from './log-database.ts';
import { storedRecords } from './stored-records.ts';

/** What can be read of a log as it was when it was opened. */
export type ReadableLog = Pick<CommitLog, 'epoch' | 'firstSequence' | 'lastSequence' | 'read'>;

/**
 * The log that a database holds, for who has no lease. Rejects with `wrong_master_key`,
 * `log_corrupt`, and `storage_failed` when the database does not answer.
 */
export async function readDatabaseLog(
  database: Pick<LogDatabase, 'place' | 'readManifest' | 'readContents' | 'groupAt' | 'rowsAfter'>,
  encryptionKey: Uint8Array | undefined,
): Promise<ReadableLog> {
  const { place } = database;
  const manifest = await database.readManifest();
  const cipher = openCipher(place, manifest, encryptionKey, randomBytes);
  const contents = await database.readContents().catch((error: unknown) => {
    throw databaseProblem(`reading ${place}`, error);
  });
  const segments = heldSegments(place, contents, manifest);
  const firstSequence = must(segments[0], 'a segment').first;
  const lastSequence = must(segments.at(-1), 'a segment').last;
  const crcSeedOf = (groupFirst: number): number => {
    const found = segments.findLast(({ first }) => first <= groupFirst);
    if (found === undefined) throw logTrimmed(groupFirst, firstSequence);
    return found.crcSeed;
  };
  async function* records(from: number): AsyncGenerator<LogRecord> {
    try {
      yield* storedRecords(from, lastSequence, {
        place,
        cipher,
        crcSeedOf,
        rows: database,
        gap: async (sequence) => {
          const [oldest] = (await database.readContents()).segments;
          return oldest !== undefined && sequence < oldest.first
            ? logTrimmed(sequence, oldest.first)
            : rowsCorrupt(place, sequence, 'rows are missing');
        },
      });
    } catch (error) {
      throw databaseProblem(`reading ${place}`, error);
    }
  }
  return {
    epoch: manifest.epoch,
    firstSequence,
    lastSequence,
    read: (from) => {
      requireReadable(from, { firstSequence, lastSequence });
      return records(from);
    },
  };
}
