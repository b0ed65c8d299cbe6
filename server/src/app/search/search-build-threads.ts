import { availableParallelism } from 'node:os';
import {
  SEARCH_BUILD_THREAD_BYTES,
  SEARCH_BUILD_THREADS_DEFAULT_MAX,
} from '#base/search-limits.ts';
import type { Config } from '#config/config.ts';
import { searchMemoryBytes } from './search-memory.ts';

type BuildConfig = Pick<Config, 'searchBuildThreads' | 'searchMemoryMb' | 'lowMemory'>;

/** Threads that build the search index of this process: one for each processor, as far as the memory of the index goes. */
export function searchBuildThreads(
  config: BuildConfig,
  processors: number = availableParallelism(),
): number {
  if (config.searchBuildThreads !== null) return config.searchBuildThreads;
  const affordable = Math.floor(searchMemoryBytes(config) / SEARCH_BUILD_THREAD_BYTES);
  return Math.max(1, Math.min(processors, affordable, SEARCH_BUILD_THREADS_DEFAULT_MAX));
}
