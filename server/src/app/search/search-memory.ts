import { totalmem } from 'node:os';
import { SEARCH_LOW_MEMORY_BYTES, SEARCH_MEMORY_SHARE } from '#base/search-limits.ts';
import type { Config } from '#config/config.ts';

const MB = 2 ** 20;

/** What the search index of this process may take in memory; bytes. */
export function searchMemoryBytes({
  searchMemoryMb,
  lowMemory,
}: Pick<Config, 'searchMemoryMb' | 'lowMemory'>): number {
  if (searchMemoryMb !== null) return searchMemoryMb * MB;
  if (lowMemory) return SEARCH_LOW_MEMORY_BYTES;
  // Of a container; 0 where that is not known, and more than there is where there is no limit.
  const constrained = process.constrainedMemory();
  const memory = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return Math.floor(memory * SEARCH_MEMORY_SHARE);
}
