import type { MigrationDryRun } from '@trellis/contract/shapes/migration.ts';
import type { Clock } from '#base/clock.ts';
import { TASK_LOG_LINES_MAX } from '#base/limits.ts';
import { DRY_RUN_MAX_MS } from '#base/migration-limits.ts';
import { Problem } from '#base/problem.ts';
import { TrialCommits } from '#graph/trial-commits.ts';
import { CallFault } from '../sandbox/endpoint-call.ts';
import { callMigration, lineOf, type MigrationCallParts } from './migration-call.ts';
import type { StoredMigration } from './migration-store.ts';

export interface MigrationTrialParts extends MigrationCallParts {
  readonly clock: Clock;
  readonly redact: (json: string) => string;
  /** How long one may take. */
  readonly dryRunMaxMs?: number | undefined;
}

/**
 * Runs a migration whose writes are checked, counted and thrown away. `force` ends it at once; then
 * this rejects with its reason. That its code fails is part of the result.
 */
export async function tryMigration(
  { name, code, version }: StoredMigration,
  parts: MigrationTrialParts,
  force: AbortSignal,
): Promise<MigrationDryRun> {
  const { clock, redact, dryRunMaxMs = DRY_RUN_MAX_MS } = parts;
  const { storage } = parts.pool;
  const environmentKey = await parts.pool.environmentKey;
  await using commits = TrialCommits.open({ storage, environmentKey, clock });
  const log: { at: string; text: string }[] = [];
  const begunAt = performance.now();
  let failure: unknown;
  try {
    await callMigration(
      {
        name,
        code,
        signal: force,
        force,
        trialCommits: commits,
        timeMaxMs: dryRunMaxMs,
        onLog: (text) => {
          log.push({ at: new Date(clock.now()).toISOString(), text: lineOf(text, redact) });
          if (log.length > TASK_LOG_LINES_MAX) log.shift();
        },
      },
      parts,
    );
  } catch (error) {
    force.throwIfAborted();
    if (!(error instanceof Problem)) throw error;
    failure = error;
  }
  const outcome = outcomeOf(failure, commits.isFull);
  return {
    name,
    version,
    outcome,
    error:
      outcome === 'failed' && failure instanceof Problem
        ? { code: failure.code, message: lineOf(failure.message, redact) }
        : null,
    ...commits.changes(),
    log,
    tookMs: Math.round(performance.now() - begunAt),
  };
}

function outcomeOf(failure: unknown, isFull: boolean): MigrationDryRun['outcome'] {
  // Its code may go on after a write was refused for its size: the counts are too low all the same.
  if (isFull) return 'too_large';
  if (failure === undefined) return 'completed';
  const { cause } = failure as Error;
  return cause instanceof CallFault && cause.kind === 'timeout' ? 'timed_out' : 'failed';
}
