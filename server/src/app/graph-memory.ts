import { totalmem } from 'node:os';
import { GRAPH_LOW_MEMORY_BYTES, GRAPH_MEMORY_SHARE, READER_ROWS_BYTES_MAX } from '#base/limits.ts';
import type { Config } from '#config/config.ts';
import { usualSize } from '#runtime/sandbox/pool-load.ts';

const MIB = 2 ** 20;

/** The memory that this process may take: that of its container, or of the machine. */
export function machineMemoryBytes(): number {
  // 0 when unknown, and more than the machine has when not limited.
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

/**
 * How many bytes of packed rows each reader of the graph keeps: the same share for the main thread
 * and for each worker that runs endpoints.
 */
export function rowMemoryBytes({
  graphMemoryMb,
  lowMemory,
}: Pick<Config, 'graphMemoryMb' | 'lowMemory'>): number {
  const readers = usualSize() + 1;
  return Math.min(READER_ROWS_BYTES_MAX, Math.floor(graphMemory() / readers));

  function graphMemory(): number {
    if (graphMemoryMb !== null) return graphMemoryMb * MIB;
    return lowMemory ? GRAPH_LOW_MEMORY_BYTES : machineMemoryBytes() * GRAPH_MEMORY_SHARE;
  }
}
