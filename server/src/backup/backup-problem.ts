import { Problem } from '#base/problem.ts';

export function noBackup(id: string): Problem {
  return new Problem('backup_not_found', `There is no backup ${id}.`);
}

/** The problem of a target that did not do what it should. */
export function targetFailed(doing: string, cause: unknown): Problem {
  if (cause instanceof Problem) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (/no space left|disk quota exceeded|ENOSPC|EDQUOT/i.test(reason)) {
    return new Problem('storage_full', `${doing} failed: ${reason}`, {
      hint: 'Free room where the backups are kept; what is written already is used by the next run.',
      cause,
    });
  }
  return new Problem('backup_target_failed', `${doing} failed: ${reason}`, { cause });
}

export function backupCorrupt(what: string, cause?: unknown): Problem {
  return new Problem('backup_corrupt', what, { cause });
}

export function unknownFormat(what: string, format: unknown): Problem {
  return new Problem(
    'backup_format_unknown',
    `${what} is of format ${JSON.stringify(format)}, and this version knows 1`,
  );
}
