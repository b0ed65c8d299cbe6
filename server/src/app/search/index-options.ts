import { availableParallelism } from 'node:os';
import {
  SEARCH_BUILD_THREAD_BYTES,
  SEARCH_BUILD_THREADS_DEFAULT_MAX,
  SEARCH_LOW_MEMORY_BYTES,
  SEARCH_MEMORY_SHARE,
} from '#base/search-limits.ts';
import type { Config } from '#config/config.ts';
import type { Followers } from '#log/followers.ts';
import { machineMemoryBytes } from '../graph-memory.ts';
import type { WorkspaceOptions } from '../workspace.ts';

/**
 * Options of the thread that indexes, which runs no user code and writes nothing but the files of
 * the index.
 */
export interface IndexOptions {
  readonly storage: string;
  /** `MSK_GRAPH_MASTER_KEY`; null when encryption is off. */
  readonly masterKey: string | null;
  /**
   * The memory of `Followers`: tells how far the state is, and takes what the indexes need of the
   * log.
   */
  readonly followers: SharedArrayBuffer;
  /** Budget of memory for the index; bytes. */
  readonly memoryBytesMax: number;
  /** That build an index; with 1 the thread that indexes does it alone. */
  readonly buildThreads: number;
}

const MIB = 2 ** 20;

type MemoryConfig = Pick<Config, 'searchMemoryMb' | 'lowMemory'>;

/** The options of the thread that indexes, by the configuration. */
export function indexOptions(
  { storage, config, secrets }: Pick<WorkspaceOptions, 'storage' | 'config' | 'secrets'>,
  followers: Followers,
): IndexOptions {
  return {
    storage,
    masterKey: secrets.graphMasterKey,
    followers: followers.buffer,
    memoryBytesMax: searchMemoryBytes(config),
    buildThreads: searchBuildThreads(config),
  };
}

/** Memory that the search index of this process may take; bytes. */
export function searchMemoryBytes({ searchMemoryMb, lowMemory }: MemoryConfig): number {
  if (searchMemoryMb !== null) return searchMemoryMb * MIB;
  if (lowMemory) return SEARCH_LOW_MEMORY_BYTES;
  return Math.floor(machineMemoryBytes() * SEARCH_MEMORY_SHARE);
}

/**
 * Threads that build the search index of this process: one for each processor, as far as the memory
 * of the index goes.
 */
export function searchBuildThreads(
  config: MemoryConfig & Pick<Config, 'searchBuildThreads'>,
  processors: number = availableParallelism(),
): number {
  if (config.searchBuildThreads !== null) return config.searchBuildThreads;
  const affordable = Math.floor(searchMemoryBytes(config) / SEARCH_BUILD_THREAD_BYTES);
  return Math.max(1, Math.min(processors, affordable, SEARCH_BUILD_THREADS_DEFAULT_MAX));
}
