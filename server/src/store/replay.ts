import { Problem } from '#base/problem.ts';
import type { CommitLog } from '#log/commit-log.ts';
import type { Applier, LoggedCommit } from './apply.ts';

const GROUP_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Brings the environments up to the end of the log. Throws the problem `state_log_mismatch` when the two cannot belong together,
 * `log_trimmed` when the log no longer has what the state lacks.
 */
export async function replayLog(log: CommitLog, applier: Applier): Promise<void> {
  checkHistory(log, applier);
  const from = applier.nextSequence;
  if (from < Math.min(log.firstSequence, log.lastSequence + 1)) {
    throw new Problem(
      'log_trimmed',
      `the state ends before sequence ${from}, and the log begins at ${log.firstSequence}`,
      { hint: 'Restore a snapshot at or after the beginning of the log into an empty folder.' },
    );
  }
  await applier.adoptEpoch();
  if (from > log.lastSequence) return;
  let group: LoggedCommit[] = [];
  let bytes = 0;
  for await (const { last, payload } of log.read(from)) {
    group.push({ last, payload });
    bytes += payload.length;
    if (bytes < GROUP_BYTES_MAX) continue;
    await applier.apply(group);
    group = [];
    bytes = 0;
  }
  if (group.length > 0) await applier.apply(group);
}

function checkHistory(log: CommitLog, { epoch, writtenSequence: sequence }: Applier): void {
  const isOther = epoch !== '' && epoch !== log.epoch;
  if (!isOther && sequence <= log.lastSequence) return;
  throw new Problem(
    'state_log_mismatch',
    isOther
      ? `the state follows a log of epoch ${epoch}, this one has ${log.epoch}`
      : `the state is at sequence ${sequence}, the log ends at ${log.lastSequence}`,
    {
      hint: 'Put the log folder and the state folders of the same backup together.',
      details: { epoch, sequence, logEpoch: log.epoch, logLastSequence: log.lastSequence },
    },
  );
}
