import { BACKUP_LOG_HELD_BYTES_MAX, BACKUP_LOG_HELD_ROOM_BYTES_MIN } from '#base/backup-limits.ts';
import { INDEX_LOG_HELD_BYTES_MAX, LOG_HELD_ROOM_BYTES_MIN } from '#base/limits.ts';
import type { CommitLog } from './commit-log.ts';
import type { FollowerKind, Followers, NeedingFollower } from './followers.ts';
import type { ArchiveRule } from './retention.ts';

/**
 * What the log is kept for a follower at most. A replica that is silent is dropped by who serves
 * it.
 */
interface HoldBounds {
  /** Bytes of whole segments that nothing but followers needs. */
  readonly bytesMax: number;
  /** Room that must be left on the volume. */
  readonly roomBytesMin: number;
}

const BOUNDS: Readonly<Record<FollowerKind, HoldBounds>> = {
  'text index': { bytesMax: INDEX_LOG_HELD_BYTES_MAX, roomBytesMin: LOG_HELD_ROOM_BYTES_MIN },
  'vector index': { bytesMax: INDEX_LOG_HELD_BYTES_MAX, roomBytesMin: LOG_HELD_ROOM_BYTES_MIN },
  backups: { bytesMax: BACKUP_LOG_HELD_BYTES_MAX, roomBytesMin: BACKUP_LOG_HELD_ROOM_BYTES_MIN },
  replica: { bytesMax: Infinity, roomBytesMin: LOG_HELD_ROOM_BYTES_MIN },
};

export interface TrimmingParts {
  readonly log: Pick<CommitLog, 'bytesAfter' | 'trim'>;
  readonly archive: ArchiveRule;
  readonly followers: Followers;
  /** The state is on the device up to it: see `State`. */
  readonly flushedSequence: () => number;
  /** Bytes that may still be written to the volume. */
  readonly roomBytes: () => number;
  readonly onDropped: (follower: NeedingFollower) => void;
}

/**
 * Removes what the state and every follower have of the log. Those for which it takes too much room
 * are dropped first, and told so.
 */
export async function trimLog(parts: TrimmingParts): Promise<void> {
  const { log, archive, followers, onDropped } = parts;
  const flushed = parts.flushedSequence();
  const free = log.bytesAfter(flushed);
  for (const follower of followers.needing()) {
    const { bytesMax, roomBytesMin } = BOUNDS[follower.kind];
    const held = log.bytesAfter(follower.neededAfter) - free;
    // With less nothing would be gained: the archive may have so much anyway.
    if (held <= archive.bytesMax) continue;
    if (held <= bytesMax && parts.roomBytes() >= roomBytesMin) continue;
    follower.drop();
    onDropped(follower);
  }
  await log.trim(Math.min(flushed, followers.lowestNeeded() ?? Infinity));
}
