import { DB } from '../databases.ts';
import type { KeyValueReader, WriteBatch } from '../key-value.ts';

const KEY = Uint8Array.of(0, 1, 0, 0, 1, 1);
/** Databases of both environments. */
const DATABASES = [DB.nodes, DB.vault, DB.out] as const;

/**
 * In tests that look for half a commit, each commit writes one number to several places. This is
 * how many.
 */
export const COUNTER_OPERATIONS = DATABASES.length;

export function putCounter(batch: WriteBatch, count: number): void {
  const value = Buffer.alloc(8);
  value.writeDoubleBE(count);
  for (const db of DATABASES) batch.put(db, KEY, value);
}

export function nextCount(reader: KeyValueReader): number {
  return readCounter(reader, true) + 1;
}

/**
 * Reads the number that is in all places; 0 before the first commit. Throws when the places differ.
 */
export function readCounter(reader: KeyValueReader, withVault: boolean): number {
  const places = withVault ? DATABASES : [DB.nodes, DB.out];
  const counts = places.map((db) => {
    const value = reader.get(db, KEY);
    return value === undefined
      ? 0
      : new DataView(value.buffer, value.byteOffset, value.length).getFloat64(0);
  });
  if (counts.some((count) => count !== counts[0])) {
    throw new Error(`half a commit: ${counts.join(', ')}`);
  }
  return counts[0]!;
}
