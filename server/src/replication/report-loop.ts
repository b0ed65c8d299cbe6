import {
  REPLICA_IDLE_REPORT_INTERVAL_MS,
  REPLICA_REPORT_INTERVAL_MS,
} from '#base/replication-limits.ts';
import type { ReportStream } from './replica-calls.ts';
import type { Timers } from '#base/timers.ts';

export interface ReportLoop extends Disposable {
  /** Everything up to `sequence` is applied. */
  applied(sequence: number): void;
}

/**
 * Reports the applied sequence: at once when it starts; every 250 ms while something is received,
 * and once more after that; else every 30 seconds, so that the primary does not take the replica
 * for lost (specification, sections 3.1 and 8).
 */
export function startReports(
  stream: Pick<ReportStream, 'send'>,
  appliedSequence: number,
  timers: Timers,
): ReportLoop {
  const idleTicksMax = REPLICA_IDLE_REPORT_INTERVAL_MS / REPLICA_REPORT_INTERVAL_MS;
  let newest = appliedSequence;
  let isReceiving = false;
  let wasReceiving = false;
  let isDue = true;
  let idleTicks = 0;
  const report = (): void => {
    isDue = !stream.send(newest);
    idleTicks = 0;
  };
  const timer = timers.every(REPLICA_REPORT_INTERVAL_MS, () => {
    idleTicks++;
    if (isDue || isReceiving || wasReceiving || idleTicks >= idleTicksMax) report();
    wasReceiving = isReceiving;
    isReceiving = false;
  });
  report();
  return {
    applied: (sequence) => {
      newest = sequence;
      isReceiving = true;
    },
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  };
}
