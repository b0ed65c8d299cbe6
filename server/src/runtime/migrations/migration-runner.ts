import type { Clock } from '#base/clock.ts';
import { TASK_LOG_LINES_MAX } from '#base/limits.ts';
import {
  DRY_RUN_MAX_MS,
  MIGRATION_CANCEL_WAIT_MS,
  MIGRATION_FORCED_END_MS,
  MIGRATION_TIME_MAX_MS,
} from '#base/migration-limits.ts';
import { Problem } from '#base/problem.ts';
import type { MigrationDryRun } from '@trellis/contract/shapes/migration.ts';
import type { JobRegistry, RunningJob } from '#jobs/job-registry.ts';
import type { RuntimeLogger } from '../endpoint-log.ts';
import { callMigration, lineOf, type MigrationCallParts } from './migration-call.ts';
import type { MigrationStates, MigrationRun, StoredMigration } from './migration-store.ts';
import { type MigrationTrialParts, tryMigration } from './migration-trial.ts';

export interface MigrationRunnerParts extends MigrationCallParts, MigrationTrialParts {
  readonly states: MigrationStates;
  readonly jobs: JobRegistry;
  readonly clock: Clock;
  readonly logger: RuntimeLogger;
  /** How long `cancel` waits, and when a run that does not stop is ended by force. */
  readonly cancelWaitMs?: number | undefined;
  readonly forcedEndMs?: number | undefined;
}

interface RunUnderWay {
  /** Resolved once the first is known to run, or all is over. */
  readonly begun: PromiseWithResolvers<void>;
  readonly job: RunningJob;
  /** The migration whose turn it is. */
  name: string;
  readonly stop: AbortController;
  readonly force: AbortController;
  /** ISO 8601 UTC; once somebody has cancelled it. */
  endedByForceAt: string | undefined;
  /** Never rejects. */
  ended: Promise<void>;
}

/**
 * Runs migrations, one after the other, each job of them in the order it was given. Code that does
 * not stop when it is asked to is ended by force a while later: nobody is told that it has stopped
 * while it may still write.
 */
export class MigrationRunner implements AsyncDisposable {
  readonly #parts: MigrationRunnerParts;
  #current: RunUnderWay | undefined;
  #forcing: NodeJS.Timeout | undefined;
  #trial: { readonly name: string; readonly force: AbortController } | undefined;
  #isClosed = false;

  constructor(parts: MigrationRunnerParts) {
    this.#parts = parts;
  }

  /** Throws `migration_running` when any is. */
  requireIdle(): void {
    if (this.#current === undefined) return;
    const { name, job } = this.#current;
    throw new Problem('migration_running', `The migration "${name}" is running`, {
      details: { name, jobId: job.id },
    });
  }

  /** The id of the job, which goes on. Throws `migration_running`. */
  start(names: readonly string[]): string {
    this.requireIdle();
    const { jobs } = this.#parts;
    const step = names[0] ?? 'There is none to run';
    const job = jobs.start({ kind: 'migration', step, isCancellable: true });
    const under: RunUnderWay = {
      job,
      name: step,
      begun: Promise.withResolvers<void>(),
      stop: new AbortController(),
      force: new AbortController(),
      endedByForceAt: undefined,
      ended: Promise.resolve(),
    };
    job.signal.addEventListener('abort', () => this.#ask(under), { once: true });
    this.#current = under;
    under.ended = this.#runAll(names, under);
    return job.id;
  }

  /**
   * Runs it without writing anything, one at a time and not while a migration runs. Rejects with
   * `migration_running`.
   */
  async dryRun(migration: StoredMigration): Promise<MigrationDryRun> {
    this.requireIdle();
    if (this.#trial !== undefined) {
      const { name } = this.#trial;
      throw new Problem('migration_running', `A dry run of "${name}" is under way`, {
        hint: `Wait for its end, which comes within ${DRY_RUN_MAX_MS / 1_000} seconds.`,
        details: { name, jobId: null },
      });
    }
    const force = new AbortController();
    this.#trial = { name: migration.name, force };
    try {
      return await tryMigration(migration, this.#parts, force.signal);
    } finally {
      this.#trial = undefined;
    }
  }

  /**
   * Resolves with the name of the one that has stopped. Rejects with `migration_not_running`, and
   * with `migration_not_cancelled` when it goes on all the same.
   */
  async cancel(name: string | undefined): Promise<string> {
    const under = this.#current;
    if (under === undefined || (name !== undefined && name !== under.name)) {
      const what = name === undefined ? 'No migration is' : `The migration "${name}" is not`;
      throw new Problem('migration_not_running', `${what} running`);
    }
    const { name: running, job } = under;
    this.#ask(under);
    const { cancelWaitMs = MIGRATION_CANCEL_WAIT_MS } = this.#parts;
    const { promise: late, resolve } = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => resolve('late'), cancelWaitMs);
    const first = await Promise.race([under.ended, late]);
    clearTimeout(timer);
    if (first !== 'late') return running;
    const { endedByForceAt } = under;
    throw new Problem(
      'migration_not_cancelled',
      `The migration "${running}" was asked to stop, but is still running`,
      { details: { name: running, jobId: job.id, endedByForceAt } },
    );
  }

  /** Resolves when the first of those that were started is known to run, to whoever reads it. */
  async begun(): Promise<void> {
    await this.#current?.begun.promise;
  }

  /** Resolves when none is running. */
  async idle(): Promise<void> {
    await this.#current?.ended;
  }

  /** What is under way ends, and is found interrupted at the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#forcing);
    this.#current?.stop.abort(new Error('the server stops'));
    this.#current?.force.abort(new Error('the server stops'));
    this.#trial?.force.abort(new Problem('migration_interrupted', 'The server stops.'));
    await this.idle();
  }

  #ask(under: RunUnderWay): void {
    if (under.stop.signal.aborted) return;
    const { clock, forcedEndMs = MIGRATION_FORCED_END_MS } = this.#parts;
    under.endedByForceAt = new Date(clock.now() + forcedEndMs).toISOString();
    const problem = new Problem('job_cancelled', 'The migration was cancelled.');
    this.#forcing = setTimeout(() => under.force.abort(problem), forcedEndMs).unref();
    under.stop.abort(problem);
  }

  async #runAll(names: readonly string[], under: RunUnderWay): Promise<void> {
    const { job } = under;
    let error: unknown;
    try {
      for (const [at, name] of names.entries()) {
        under.name = name;
        await this.#runOne(name, under, (fraction) => (at + fraction) / names.length);
      }
    } catch (thrown) {
      error = thrown;
    }
    clearTimeout(this.#forcing);
    under.begun.resolve();
    if (this.#current === under) this.#current = undefined;
    if (this.#isClosed) return;
    if (error === undefined) job.end('succeeded');
    else if (under.stop.signal.aborted) job.end('cancelled');
    else job.end('failed', error);
  }

  /** Rejects when it did not succeed, after its end is written. */
  async #runOne(
    name: string,
    under: RunUnderWay,
    overall: (fraction: number) => number,
  ): Promise<void> {
    const { states, clock, logger, redact } = this.#parts;
    const { job, stop, force } = under;
    const now = (): string => new Date(clock.now()).toISOString();
    const log: { at: string; text: string }[] = [];
    stop.signal.throwIfAborted();
    job.report({ progress: overall(0), step: name });
    const migration: StoredMigration = await states.begin(name, job.id, now());
    under.begun.resolve();
    const run = (more: Partial<MigrationRun>): MigrationRun => ({ ...migration, log, ...more });
    try {
      await callMigration(
        {
          name,
          code: migration.code,
          signal: stop.signal,
          force: force.signal,
          timeMaxMs: MIGRATION_TIME_MAX_MS,
          onLog: (text) => {
            log.push({ at: now(), text: lineOf(text, redact) });
            if (log.length > TASK_LOG_LINES_MAX) log.shift();
            job.log(text);
          },
          onProgress: ({ fraction, text }) =>
            job.report({
              ...(fraction === null ? {} : { progress: overall(fraction) }),
              ...(text === null ? {} : { step: `${name}: ${text}` }),
            }),
        },
        this.#parts,
      );
      stop.signal.throwIfAborted();
      await states.end(name, 'succeeded', run({ endedAt: now() }));
    } catch (error) {
      if (this.#isClosed) throw error;
      if (stop.signal.aborted) {
        await states.end(name, 'cancelled', run({ endedAt: now() }));
        throw error;
      }
      const code = error instanceof Problem ? error.code : 'internal_error';
      const message = lineOf(error instanceof Error ? error.message : String(error), redact);
      logger.warn({ migration: name, err: error }, 'a migration failed');
      await states.end(name, 'failed', run({ endedAt: now(), error: { code, message } }));
      throw error;
    }
  }
}
