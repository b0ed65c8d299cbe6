import { statfsSync } from 'node:fs';
import { SEARCH_FILES_ROOM_BYTES_MIN } from '#base/search-limits.ts';

/** Whether files of so many bytes leave room for commits on the volume of a folder. */
export function hasRoom(folder: string, bytes: number): boolean {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= bytes + SEARCH_FILES_ROOM_BYTES_MIN;
}
