import type { ProblemMessage } from '#base/problem.ts';

/** Those of the storage whose messages are for the log alone, as they name folders, files and keys. */
export const INTERNAL_CODES: ReadonlySet<string> = new Set([
  'front_end_unreadable',
  'log_ahead',
  'log_corrupt',
  'log_trimmed',
  'missing_master_key',
  'piece_not_found',
  'replica_unfinished',
  'snapshot_corrupt',
  'state_log_mismatch',
  'storage_corrupt',
  'storage_failed',
  'storage_full',
  'storage_in_use',
  'storage_not_empty',
  'store_format_unknown',
  'store_not_encrypted',
  'wrong_master_key',
]);

export function isInternal({ code }: Pick<ProblemMessage, 'code'>): boolean {
  return INTERNAL_CODES.has(code);
}

/** What the code of an endpoint is told of a problem: of an internal one no more than what it is. */
export function toldProblem(problem: ProblemMessage): ProblemMessage {
  if (!isInternal(problem)) return problem;
  return {
    code: problem.code,
    message: 'the storage of the server failed',
    hint: 'An administrator finds the reason in the log.',
    details: undefined,
  };
}
