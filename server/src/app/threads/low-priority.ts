import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * Nice of a thread: others get nine times its share of a processor that both want, or nearly all.
 */
export const PRIORITY = { low: 10, last: 19 } as const;

/**
 * Lets the threads that serve and write go before the calling one. Linux knows a niceness of single
 * threads and tells a thread its own id there; elsewhere all stay equal.
 */
export function lowerPriority(nice: number = PRIORITY.low): void {
  if (process.platform !== 'linux') return;
  const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  setPriority(thread, nice);
}
