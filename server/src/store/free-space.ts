import { Problem } from '#base/problem.ts';
import { roomBytes } from './storage-problem.ts';

/** Kept free whatever is written: for LMDB's own pages, the log's next segment, and whoever has to clean up. */
export const FREE_SPACE_MIN_BYTES = 8 * 1024 * 1024;
/** A page of LMDB may have to be written anew for each operation, and each byte lies in the log and in the state. */
const PAGE_BYTES = 4_096;
const COPIES = 2;

export interface SpaceNeeded {
  readonly operations: number;
  readonly bytes: number;
}

/** Throws the problem `storage_full` unless the volume has room for so much, at worst, and some to spare. */
export type SpaceCheck = (needed: SpaceNeeded) => void;

/**
 * Refuses a commit before it is in the log. Once it is there it is durable and has to be carried out, so a volume that fills up
 * in between could only let its caller wait.
 */
export function freeSpaceCheck(folder: string): SpaceCheck {
  return ({ operations, bytes }) => {
    const needed = FREE_SPACE_MIN_BYTES + operations * PAGE_BYTES + bytes * COPIES;
    const free = roomBytes(folder);
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
