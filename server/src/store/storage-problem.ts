import { existsSync, statfsSync } from 'node:fs';
import { Problem } from '#base/problem.ts';

/**
 * What messages of the system or of LMDB contain when there is no room: on the device, in the
 * quota, or in LMDB's map.
 */
const NO_ROOM = /no space left|disk quota exceeded|MDB_MAP_FULL|ENOSPC|EDQUOT/i;
/** With less free room, a write may be cut short, which LMDB reports as an input/output error. */
const ROOM_BYTES_MIN = 64 * 1024 * 1024;

/** Bytes that may still be written to the volume of a folder. */
export function roomBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/**
 * A failed operation in a folder as a problem: `storage_full` when there is too little room, else
 * `storage_failed`.
 */
export function storageProblem(doing: string, folder: string, cause: unknown): Problem {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `${doing} ${folder} failed: ${reason}`;
  if (NO_ROOM.test(reason) || (existsSync(folder) && roomBytes(folder) < ROOM_BYTES_MIN)) {
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

/**
 * Room that commits must leave free: for LMDB's own pages, the next segment of the log, and for
 * cleaning up.
 */
const FREE_SPACE_MIN_BYTES = 8 * 1024 * 1024;
/**
 * The estimate of what a commit needs: LMDB may write a new page for each operation, and each byte
 * is stored twice, in the log and in the state.
 */
const PAGE_BYTES = 4_096;
const COPIES = 2;

/**
 * So long the room is not asked for again for commits that need no more than this share of it:
 * nobody fills a volume in that time.
 */
const AMPLE_MS = 50;
const AMPLE_SHARE = 64;

export interface SpaceNeeded {
  readonly operations: number;
  readonly bytes: number;
}

/**
 * Throws the problem `storage_full` unless the volume has room for the worst case of this, and some
 * to spare.
 */
export type SpaceCheck = (needed: SpaceNeeded) => void;

/**
 * Refuses a commit before it is in the log. A commit in the log is durable and must be carried out;
 * if the volume were full then, its caller could only wait.
 */
export function freeSpaceCheck(folder: string): SpaceCheck {
  let ample = 0;
  let until = 0;
  return ({ operations, bytes }) => {
    const needed = FREE_SPACE_MIN_BYTES + operations * PAGE_BYTES + bytes * COPIES;
    const now = performance.now();
    if (needed <= ample && now < until) return;
    const free = roomBytes(folder);
    ample = free / AMPLE_SHARE;
    until = now + AMPLE_MS;
    if (free >= needed) return;
    throw new Problem(
      'storage_full',
      `the volume of ${folder} has ${free} bytes free of ${needed}`,
      {
        hint: 'Nothing was written. Free room on the volume of the storage folder, then send it again.',
      },
    );
  };
}
