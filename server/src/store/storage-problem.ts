import { existsSync, statfsSync } from 'node:fs';
import { Problem } from '#base/problem.ts';

/** What the system or LMDB says when there is no room: on the device, in the quota, in LMDB's map. */
const NO_ROOM = /no space left|disk quota exceeded|MDB_MAP_FULL|ENOSPC|EDQUOT/i;
/** With less, a write may end half way, which LMDB reports as an input/output error. */
const ROOM_BYTES_MIN = 64 * 1024 * 1024;

/** Bytes that may still be written to the volume of a folder. */
export function roomBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Something that failed in a folder as a problem: `storage_full` when room is short, otherwise `storage_failed`. */
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
