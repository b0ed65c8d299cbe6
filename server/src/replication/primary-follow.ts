import { FOLLOWER_GATHER_INTERVAL_MS } from '#base/replication-limits.ts';
import { type CommitLog, digestAt } from '#log/commit-log.ts';
import { epochDiffers, trimmed } from './channel-problem.ts';
import { ChunkBuilder } from './chunk.ts';
import { type MessageSender, Wake } from './frame-stream.ts';
import type { FollowRequest } from './message-shapes.ts';

/** What the primary needs of its log. */
export type FollowedLog = Pick<
  CommitLog,
  'epoch' | 'firstSequence' | 'lastSequence' | 'read' | 'onDurable'
>;

/**
 * Throws `replication_epoch_differs` when the replica follows another log, or is ahead of this one,
 * `log_trimmed` when this log does not hold what comes next.
 */
export function requireFollowable(log: FollowedLog, { epoch, from }: FollowRequest): void {
  if (epoch !== log.epoch) {
    throw epochDiffers(`the replica follows epoch ${epoch}, the primary writes ${log.epoch}`);
  }
  if (from > log.lastSequence + 1) {
    throw epochDiffers(
      `the replica has sequence ${from - 1}, the primary ends at ${log.lastSequence}`,
    );
  }
  if (from < log.firstSequence) {
    throw trimmed(`the primary has its log from sequence ${log.firstSequence} on, not ${from}`);
  }
}

/**
 * Throws `replication_epoch_differs` when the replica's last record is not the one that this log
 * has there: the primary was put back to an older state, and has gone on from it otherwise. What
 * this log no longer has cannot be compared.
 */
export async function requireSameRecord(log: FollowedLog, follow: FollowRequest): Promise<void> {
  const { from, previous } = follow;
  if (previous === undefined) return;
  const own = await digestAt(log, from - 1);
  if (own === undefined || own === previous) return;
  throw epochDiffers(`the replica has another commit at sequence ${from - 1} than the primary`);
}

interface Sending {
  readonly pause: (ms: number) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Sends the log from a sequence on, merged into chunks, until `signal` is aborted. The log is read
 * no faster than the replica takes it: while one chunk waits to be sent, and for a moment after it,
 * the records that are appended become the next. Throws `log_trimmed` when a trim overtakes it.
 */
export async function sendLog(
  log: FollowedLog,
  from: number,
  sender: MessageSender,
  { pause, signal }: Sending,
): Promise<never> {
  const appended = new Wake();
  const stop = log.onDurable(() => appended.wake());
  try {
    for (let next = from; ;) {
      next = await sendRecords(log, next, sender);
      await pause(FOLLOWER_GATHER_INTERVAL_MS);
      await appended.wait(signal);
    }
  } finally {
    stop();
  }
}

/** Sends what the log holds by now; the sequence to go on from. */
async function sendRecords(log: FollowedLog, from: number, sender: MessageSender): Promise<number> {
  const chunk = new ChunkBuilder();
  let next = from;
  for await (const record of log.read(from)) {
    if (record.first !== next) {
      throw epochDiffers(`sequence ${next} does not begin a commit of the primary's log`);
    }
    if (chunk.isFullFor(record)) await sender.send(chunk.take());
    chunk.add(record);
    next = record.last + 1;
  }
  if (!chunk.isEmpty) await sender.send(chunk.take());
  return next;
}
