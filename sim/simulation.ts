import type { Violation } from './checkers/checkers.ts';
import { Cluster } from './cluster.ts';
import { disturb, leaveLong } from './disturbances.ts';
import type { Faults } from './planted-faults.ts';
import { Random } from './random.ts';
import { seedRandomBytes } from './seeded-bytes.ts';
import type { Operation } from './workspace-state.ts';

export interface ScheduleOptions {
  readonly faults?: Faults;
  readonly onTrace?: (line: string) => void;
}

export interface ScheduleResult {
  readonly seed: number;
  readonly violations: readonly Violation[];
  /** Equal for equal runs. */
  readonly traceHash: string;
  readonly events: number;
  readonly elapsedMs: number;
}

const BUSY_MIN_MS = 1_000;
const BUSY_MAX_MS = 8_000;
/** Within this every replica has found its primary again, and reported. */
const REPORTED_MAX_MS = 60_000;
/** Everything that is tried again is so within this, */
const QUIET_MAX_MS = 2 * 60_000;
/** and within this when one was away for long. */
const LONG_QUIET_MAX_MS = 15 * 60_000;
const EVENTS_BETWEEN_MAX = 200;
/** Such schedules are long, because the rest of the cluster goes on meanwhile. */
const LONG_ABSENCE_EVERY = 100;
const KEYS = 'cdefghijklmn';

/**
 * One schedule: a cluster is written to and disturbed for a while, then left alone until all its
 * servers agree.
 */
export async function runSchedule(
  seed: number,
  { faults = {}, onTrace }: ScheduleOptions = {},
): Promise<ScheduleResult> {
  using _bytes = seedRandomBytes(new Random(seed));
  using cluster = new Cluster({ seed, replicas: 1 + (seed % 3), faults, onTrace });
  const { scheduler, random, checkers } = cluster.world;
  cluster.start();
  const busyMs = random.between(BUSY_MIN_MS, BUSY_MAX_MS);
  let isBusy = true;
  const write = (): void => {
    if (!isBusy) return;
    const burst = random.chance(0.1) ? random.between(2, 12) : 1;
    for (let i = 0; i < burst; i++) commit(cluster, random);
    scheduler.after(random.between(1, 600), 'a write', write);
  };
  scheduler.after(0, 'writing begins', write);
  const isLong = seed % LONG_ABSENCE_EVERY === 0;
  if (isLong) {
    scheduler.after(random.between(0, busyMs), 'a long absence', () => leaveLong(cluster, random));
  }
  for (let i = random.between(0, 3); i > 0; i--) {
    scheduler.after(random.between(0, busyMs), 'a disturbance', () => disturb(cluster, random));
  }
  const isViolated = (): boolean => {
    cluster.look();
    return checkers.violations.length > 0;
  };
  // Half of them by time, and half by what happens: so that joins and copies, which are short, are
  // hit as often as the rest.
  let disturbedAt = random.between(0, EVENTS_BETWEEN_MAX);
  await scheduler.run(busyMs, () => {
    if (scheduler.events >= disturbedAt && random.chance(0.8)) {
      disturbedAt += random.between(1, EVENTS_BETWEEN_MAX);
      disturb(cluster, random);
    }
    return isViolated();
  });
  isBusy = false;
  await scheduler.run(cluster.healsInMs, isViolated);
  scheduler.note('everything heals');
  cluster.heal();
  const quietMaxMs = isLong ? LONG_QUIET_MAX_MS : QUIET_MAX_MS;
  await scheduler.run(quietMaxMs, () => isViolated() || cluster.isConverged);
  await scheduler.run(REPORTED_MAX_MS, () => isViolated() || cluster.isReported);
  if (checkers.violations.length === 0) cluster.checkEnd();
  return {
    seed,
    violations: checkers.violations,
    traceHash: scheduler.traceHash(),
    events: scheduler.events,
    elapsedMs: scheduler.elapsedMs,
  };
}

function commit(cluster: Cluster, random: Random): void {
  const { primary } = cluster;
  if (primary === undefined) return;
  const operations = Array.from({ length: random.between(0, 3) }, (): Operation => {
    const key = `${KEYS[random.between(0, KEYS.length - 1)]}/${random.between(0, 3)}`;
    return [key, String(random.between(0, 999))];
  });
  // A full disk and a crash refuse it, which the writer is told.
  primary.commit(operations).catch(() => {});
}
