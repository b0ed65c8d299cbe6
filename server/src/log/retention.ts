import { BACKUP_LOG_HELD_BYTES_MAX, BACKUP_LOG_HELD_ROOM_BYTES_MIN } from '#base/backup-limits.ts';
import { INDEX_LOG_HELD_BYTES_MAX, LOG_HELD_ROOM_BYTES_MIN } from '#base/limits.ts';
import type { CommitLog } from './commit-log.ts';
import type { FollowerKind, Followers, NeedingFollower } from './followers.ts';

/** How much of the log stays that every follower has applied (specification, section 8). */
export interface ArchiveRule {
  /** An archived segment goes when its newest record is older than this. */
  readonly ttlMs: number;
  /** While the archived segments together are larger than this, the oldest goes. */
  readonly bytesMax: number;
}

const SEGMENT_BYTES_MAX = 64 * 1024 * 1024;
const SEGMENT_BYTES_MIN = 64 * 1024;

/**
 * The size of segments that lets the rule work: only whole ones go, so a small archive needs small
 * ones.
 */
export function segmentBytesMaxDefault(rule: ArchiveRule): number {
  return Math.max(SEGMENT_BYTES_MIN, Math.min(SEGMENT_BYTES_MAX, rule.bytesMax / 4));
}

/** What the rule needs to know of a segment. */
export interface ArchivedSegment {
  /** Its newest sequence. */
  readonly last: number;
  readonly bytes: number;
  /** The time of its newest record, milliseconds since the Unix epoch. */
  readonly newestTime: number;
}

/**
 * How many of the oldest segments may go. A segment is archived when its every sequence is at or
 * below `keepAfter`; the newest one never is, for the next append goes there. Only a prefix goes:
 * the log has no gaps.
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
 * How much of the log is kept for a follower at most. The replication server drops a replica that
 * is silent.
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

interface TrimmingParts {
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
