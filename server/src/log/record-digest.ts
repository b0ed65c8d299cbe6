import { createHash } from 'node:crypto';
import type { CommitLog, LogRecord } from './commit-log.ts';

/**
 * SHA-256 over a record, 64 hexadecimal digits: two logs that have the same one at a sequence have
 * the same history there.
 */
export function recordDigest({ first, last, time, payload }: LogRecord): string {
  const head = JSON.stringify([first, last, time]);
  return createHash('sha256').update(head).update(payload).digest('hex');
}

/** The digest of the record that holds a sequence; undefined when the log no longer has it. */
export async function digestAt(
  log: Pick<CommitLog, 'firstSequence' | 'lastSequence' | 'read'>,
  sequence: number,
): Promise<string | undefined> {
  if (sequence < log.firstSequence || sequence > log.lastSequence) return undefined;
  for await (const record of log.read(sequence)) return recordDigest(record);
  return undefined;
}
