import { BACKUP_LOG_HELD_BYTES_MAX, BACKUP_LOG_HELD_ROOM_BYTES_MIN } from '#base/backup-limits.ts';
import { INDEX_LOG_HELD_BYTES_MAX, LOG_HELD_ROOM_BYTES_MIN } from '#base/limits.ts';
import type { CommitLog } from './commit-log.ts';
import type { FollowerKind, Followers, NeedingFollower } from './followers.ts';

/** How much of the log is kept after every follower has applied it (specification, section 8). */
export interface ArchiveRule {
  /** An archived segment is removed when its newest record is older than this. */
  readonly ttlMs: number;
  /** While the archived segments together are larger than this, the oldest is removed. */
  readonly bytesMax: number;
}

const SEGMENT_BYTES_MAX = 64 * 1024 * 1024;
const SEGMENT_BYTES_MIN = 64 * 1024;

/**
 * The size of segments that suits the rule. Only whole segments are removed, so a small archive
 * needs small segments.
 */
export function segmentBytesMaxDefault(rule: ArchiveRule): number {
  return Math.max(SEGMENT_BYTES_MIN, Math.min(SEGMENT_BYTES_MAX, rule.bytesMax / 4));
}

/** What the rule needs to know about a segment. */
export interface ArchivedSegment {
  /** Its newest sequence. */
  readonly last: number;
  readonly bytes: number;
  /** The time of its newest record, milliseconds since the Unix epoch. */
  readonly newestTime: number;
}

/**
 * How many of the oldest segments may be removed. A segment is archived when all its sequences are
 * at or below `keepAfter`. The newest segment is never archived, because the next append goes
 * there. Only the oldest ones are removed, so that the log has no gaps.
 */
export function droppableSegments(
  segments: readonly ArchivedSegment[],
  keepAfter: number,
  rule: ArchiveRule,
  now: number,
): number {
  let archived = segments.findIndex((segment) => segment.last > keepAfter);
  if (archived < 0) archived = segments.length;
  archived = Math.min(archived, segments.length - 1);
  const candidates = segments.slice(0, Math.max(archived, 0));
  let bytes = candidates.reduce((sum, segment) => sum + segment.bytes, 0);
  let dropped = 0;
  for (const segment of candidates) {
    if (bytes <= rule.bytesMax && now - segment.newestTime <= rule.ttlMs) break;
    bytes -= segment.bytes;
    dropped++;
  }
  return dropped;
}

/** Bytes of the segments that hold anything after the sequence. */
export function bytesAfter(
  segments: readonly Pick<ArchivedSegment, 'last' | 'bytes'>[],
  sequence: number,
): number {
  return segments.reduce((sum, { last, bytes }) => (last > sequence ? sum + bytes : sum), 0);
}

/**
 * The limits of what is kept of the log for followers. Silent replicas are another matter: the
 * replication server drops them.
 */
interface HoldBounds {
  /** Bytes of whole segments that only followers need. */
  readonly bytesMax: number;
  /** Free space that must be left on the volume, in bytes. */
  readonly roomBytesMin: number;
}

const BOUNDS: Readonly<Record<FollowerKind, HoldBounds>> = {
  'text index': { bytesMax: INDEX_LOG_HELD_BYTES_MAX, roomBytesMin: LOG_HELD_ROOM_BYTES_MIN },
  'vector index': { bytesMax: INDEX_LOG_HELD_BYTES_MAX, roomBytesMin: LOG_HELD_ROOM_BYTES_MIN },
  backups: { bytesMax: BACKUP_LOG_HELD_BYTES_MAX, roomBytesMin: BACKUP_LOG_HELD_ROOM_BYTES_MIN },
  triggers: { bytesMax: INDEX_LOG_HELD_BYTES_MAX, roomBytesMin: LOG_HELD_ROOM_BYTES_MIN },
  webhooks: { bytesMax: INDEX_LOG_HELD_BYTES_MAX, roomBytesMin: LOG_HELD_ROOM_BYTES_MIN },
  documents: { bytesMax: INDEX_LOG_HELD_BYTES_MAX, roomBytesMin: LOG_HELD_ROOM_BYTES_MIN },
  watches: { bytesMax: INDEX_LOG_HELD_BYTES_MAX, roomBytesMin: LOG_HELD_ROOM_BYTES_MIN },
  replica: { bytesMax: Infinity, roomBytesMin: LOG_HELD_ROOM_BYTES_MIN },
};

interface TrimmingParts {
  readonly log: Pick<CommitLog, 'bytesAfter' | 'trim'>;
  readonly archive: ArchiveRule;
  readonly followers: Followers;
  /** The sequence up to which the state is on the device: see `State.flushedSequence`. */
  readonly flushedSequence: () => number;
  /** Bytes that may still be written to the volume. */
  readonly roomBytes: () => number;
  readonly onDropped: (follower: NeedingFollower) => void;
}

/**
 * Removes the part of the log that the state and every follower have applied. Followers for which
 * too much would have to be kept are dropped first; each sees it in its slot.
 */
export async function trimLog(parts: TrimmingParts): Promise<void> {
  const { log, archive, followers, onDropped } = parts;
  const flushed = parts.flushedSequence();
  const free = log.bytesAfter(flushed);
  for (const follower of followers.needing()) {
    const { bytesMax, roomBytesMin } = BOUNDS[follower.kind];
    const held = log.bytesAfter(follower.neededAfter) - free;
    // Dropping a follower would free nothing here: the archive may keep that much anyway.
    if (held <= archive.bytesMax) continue;
    if (held <= bytesMax && parts.roomBytes() >= roomBytesMin) continue;
    follower.drop();
    onDropped(follower);
  }
  await log.trim(Math.min(flushed, followers.lowestNeeded() ?? Infinity));
}
