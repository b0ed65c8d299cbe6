import { assert } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import type { CommitLog } from './commit-log.ts';

/** Throws for a sequence at which no read of the log can begin. */
export function requireReadable(
  from: number,
  log: Pick<CommitLog, 'firstSequence' | 'lastSequence'>,
): void {
  assert(Number.isSafeInteger(from), `read from sequence ${from}`);
  if (from < log.firstSequence) throw logTrimmed(from, log.firstSequence);
  if (from > log.lastSequence + 1) throw logAhead(from, log.lastSequence);
}

/** `from` is older than the oldest sequence held: the follower must start over from a snapshot. */
export function logTrimmed(from: number, firstSequence: number): Problem {
  return new Problem(
    'log_trimmed',
    `sequence ${from} is no longer in the commit log, which begins at ${firstSequence}`,
    {
      hint: 'Start from a snapshot and follow the log from there.',
      details: { from, firstSequence },
    },
  );
}

/**
 * `from` lies after the end: the reader follows another history than this log, or this log has lost
 * its end.
 */
function logAhead(from: number, lastSequence: number): Problem {
  return new Problem(
    'log_ahead',
    `sequence ${from} is ahead of the commit log, which ends at ${lastSequence}`,
    {
      hint: 'The two have different histories: start over from a snapshot of this log.',
      details: { from, lastSequence },
    },
  );
}

/** Errors of the file system that mean "no room": the device is full, or the quota is used up. */
const NO_ROOM = new Set(['ENOSPC', 'EDQUOT']);

/**
 * A failed file operation on the log as a problem with the system's own message: `storage_full`
 * when there is no room, else `storage_failed`.
 */
export function storageProblem(doing: string, cause: unknown): Problem {
  if (cause instanceof Problem) return cause;
  const message = `${doing} failed: ${cause instanceof Error ? cause.message : String(cause)}`;
  const code = errorCode(cause);
  if (code !== undefined && NO_ROOM.has(code)) {
    return new Problem('storage_full', message, {
      hint: 'Free room on the volume of the storage folder; writing goes on by itself.',
      cause,
    });
  }
  return new Problem('storage_failed', message, {
    hint: 'Check the volume of the storage folder and its permissions; writing is tried anew.',
    cause,
  });
}

/** The code that the system gave an error, such as `ENOENT`; undefined when it has none. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

export interface LogDamage {
  readonly file: string;
  /** The byte at which the damage begins. */
  readonly offset: number;
  /** The first sequence that cannot be read, where it is known. */
  readonly sequence?: number;
  readonly reason: string;
}

/**
 * The log is not what was written. The server repairs nothing by itself, because every repair drops
 * acknowledged commits.
 */
export function logCorrupt(damage: LogDamage): Problem {
  const { file, offset, sequence, reason } = damage;
  const where = sequence === undefined ? '' : `, sequence ${sequence}`;
  return new Problem(
    'log_corrupt',
    `the commit log is damaged: ${file}, byte ${offset}${where}: ${reason}`,
    {
      hint: [
        'Nothing was changed. Keep a copy of the folder, check the disk,',
        'and restore the folder from a backup or from a replica.',
      ].join(' '),
      details: { ...damage },
    },
  );
}
