import { Problem } from '#base/problem.ts';
import { storageProblem } from '../log-problem.ts';
import { DatabaseFault } from './log-database.ts';

/** The member is not the primary, or not any more; nothing was appended. */
export function noPrimary(place: string): Problem {
  return new Problem('no_primary', `this member does not hold the lease of ${place}`, {
    hint: 'Another member takes over within seconds; then try again.',
  });
}

/** What a call of the database failed with, as a problem of the log. */
export function databaseProblem(doing: string, error: unknown): Problem {
  if (!(error instanceof DatabaseFault)) return storageProblem(doing, error);
  const message = `${doing} failed: ${error.message}`;
  if (error.isFull) {
    return new Problem('storage_full', message, {
      hint: 'Free room on the volume of PostgreSQL; writing goes on by itself.',
      cause: error,
    });
  }
  return new Problem('storage_failed', message, {
    hint: 'Check PostgreSQL and the way to it; writing is tried again.',
    cause: error,
  });
}

/** PostgreSQL cannot hold the log as it is. Nothing was changed. */
export function unsuitableDatabase(place: string, what: string, hint: string): Problem {
  return new Problem('log_database_unsuitable', `${place} cannot hold the commit log: ${what}`, {
    hint,
    details: { place },
  });
}

/** The rows are not what was appended. */
export function rowsCorrupt(place: string, sequence: number, reason: string): Problem {
  return new Problem(
    'log_corrupt',
    `the commit log in ${place} is damaged at sequence ${sequence}: ${reason}`,
    {
      hint: 'Nothing was changed. Keep a dump of the schema, and restore the workspace from a backup.',
      details: { place, sequence, reason },
    },
  );
}
