import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  REPLICATION_CHUNK_BYTES_MAX,
  REPLICATION_CHUNK_RECORDS_MAX,
} from '#base/replication-limits.ts';
import type { LogRecord } from '#log/commit-log.ts';

/**
 * Joins chunks that have arrived while the ones before them were worked on, until one of a chunk's
 * bounds is reached. Else a queue of small chunks, which the connection has room for, would keep
 * its length for ever: each costs a write of its own, and a write of many costs hardly more. Ends,
 * or throws, when the source does, and does not wait for it when it is left.
 */
export async function* mergeArrived(
  source: AsyncIterable<readonly LogRecord[]>,
): AsyncGenerator<readonly LogRecord[], void, void> {
  const chunks = source[Symbol.asyncIterator]();
  const askForNext = (): Promise<IteratorResult<readonly LogRecord[]>> => {
    const next = chunks.next();
    // It may fail while nobody waits for it: whoever does then hears of it.
    next.catch(() => undefined);
    return next;
  };
  let next = askForNext();
  try {
    for (;;) {
      const first = await next;
      if (first.done === true) return;
      const records = [...first.value];
      let bytes = bytesOf(records);
      next = askForNext();
      for (;;) {
        const arrived = await Promise.race([next, nextTurn()]);
        if (arrived === undefined || arrived.done === true) break;
        bytes += bytesOf(arrived.value);
        const count = records.length + arrived.value.length;
        // What has arrived and does not fit begins the next one.
        if (count > REPLICATION_CHUNK_RECORDS_MAX || bytes > REPLICATION_CHUNK_BYTES_MAX) break;
        records.push(...arrived.value);
        next = askForNext();
      }
      yield records;
    }
  } finally {
    chunks.return?.().catch(() => undefined);
  }
}

function bytesOf(records: readonly LogRecord[]): number {
  return records.reduce((sum, { payload }) => sum + payload.length, 0);
}
