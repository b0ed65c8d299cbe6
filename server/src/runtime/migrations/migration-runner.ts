import type { Caller } from '#access/caller.ts';
import type { Clock } from '#base/clock.ts';
import {
  MIGRATION_CANCEL_WAIT_MS,
  MIGRATION_FORCED_END_MS,
  MIGRATION_TIME_MAX_MS,
  TASK_LOG_CHARACTERS_MAX,
  TASK_LOG_LINES_MAX,
} from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { JobRegistry, RunningJob } from '#jobs/job-registry.ts';
import type { SearchSnapshot } from '#search/indexing/search-snapshot.ts';
import { answerOf, problemOf } from '../call-outcome.ts';
import { toScript } from '../compile/script.ts';
import { type EndpointRun, Invocation, type InvocationServices } from '../invocation.ts';
import type { RunProgress } from '../pooled-runs.ts';
import type { RuntimeLogger } from '../endpoint-log.ts';
import { CallFault, type CallResult, type EndpointCall } from '../sandbox/endpoint-call.ts';
import { EndpointPool, type EndpointPoolOptions } from '../sandbox/endpoint-pool.ts';
import type { MigrationStates, MigrationRun, StoredMigration } from './migration-store.ts';

export interface MigrationRunnerParts extends MigrationCallParts {
  readonly states: MigrationStates;
  readonly jobs: JobRegistry;
  readonly clock: Clock;
  readonly logger: RuntimeLogger;
  /** Takes secrets out of JSON text. */
  readonly redact: (json: string) => string;
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
    const { states, clock, logger } = this.#parts;
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
          onLog: (text) => {
            log.push({ at: now(), text: this.#line(text) });
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
      const message = this.#line(error instanceof Error ? error.message : String(error));
      logger.warn({ migration: name, err: error }, 'a migration failed');
      await states.end(name, 'failed', run({ endedAt: now(), error: { code, message } }));
      throw error;
    }
  }

  #line(text: string): string {
    const redacted = String(JSON.parse(this.#parts.redact(JSON.stringify(text))));
    if (redacted.length <= TASK_LOG_CHARACTERS_MAX) return redacted;
    return `${redacted.slice(0, TASK_LOG_CHARACTERS_MAX)}...`;
  }
}

interface MigrationCallParts {
  readonly pool: Omit<EndpointPoolOptions, 'size'>;
  /** What its code asks for is done as for that of endpoints. */
  readonly services: () => InvocationServices;
  /** What its code finds. */
  readonly search: () => SearchSnapshot | undefined;
}

interface MigrationCall {
  readonly name: string;
  readonly code: string;
  /** Asks the code to stop. */
  readonly signal: AbortSignal;
  /** Ends it without asking. */
  readonly force: AbortSignal;
  readonly onLog: (text: string) => void;
  readonly onProgress: (progress: RunProgress) => void;
}

/**
 * Runs the code of a migration in a worker of its own: it may compute for hours without keeping
 * endpoints from their turn, and can be ended without ending their calls. Resolves, and rejects,
 * once nothing of it runs any more. It runs as the system, whoever asked for it: what a start does,
 * a person does too.
 */
async function callMigration(
  call: MigrationCall,
  { pool: options, services, search }: MigrationCallParts,
): Promise<void> {
  const { name, signal, force } = call;
  const script = await toScript(call.code);
  const pool = EndpointPool.start({ ...options, size: 1 });
  const snapshot = search();
  if (snapshot !== undefined) pool.searches.receive(snapshot);
  const ended = Promise.withResolvers<void>();
  const end = (): void => void pool.close();
  force.addEventListener('abort', end, { once: true });
  try {
    if (force.aborted) throw force.reason;
    const endpoint = { name, version: '1', script, isReadOnly: false };
    const result = await pool.run(endpointCall(call, endpoint, services(), ended.resolve));
    requireGood(result);
  } catch (error) {
    // Who cancels is told at once, while the code may go on.
    if (signal.aborted) await ended.promise;
    throw error instanceof CallFault ? failureOf(error, name) : error;
  } finally {
    force.removeEventListener('abort', end);
    await pool.close();
  }
}

function endpointCall(
  { name, signal, onLog, onProgress }: MigrationCall,
  endpoint: EndpointCall['endpoint'],
  services: InvocationServices,
  onEnded: () => void,
): EndpointCall {
  const run: EndpointRun = {
    name,
    caller: SYSTEM,
    body: null,
    headers: '{}',
    authorization: undefined,
    runKey: null,
    signal,
    onLog,
    onProgress,
  };
  // No endpoint has such a name.
  const parts = {
    endpoint: `migration:${name}`,
    isReadOnly: false,
    // It writes itself, and is offered to nobody as a reader.
    mayRunOnPrimary: true,
    isTrial: false,
    run,
  };
  const host = new Invocation(parts, services);
  const call: EndpointCall = {
    endpoint,
    caller: SYSTEM,
    body: '',
    headers: '{}',
    deadline: performance.now() + MIGRATION_TIME_MAX_MS,
    signal,
    parent: undefined,
    host,
    onEnded,
  };
  host.call = call;
  return call;
}

/** What an endpoint would answer with an error, is one. */
function requireGood(result: CallResult): void {
  const { status, body } = answerOf(result);
  if (status < 400) return;
  throw new Problem('migration_failed', `It answered ${status}: ${body ?? ''}`);
}

function failureOf(fault: CallFault, name: string): Problem {
  const { message, details } = problemOf(fault, name, SYSTEM);
  const text = fault.kind === 'timeout' ? 'It ran longer than a migration may' : message;
  return new Problem('migration_failed', text, details === undefined ? {} : { details });
}

/** The system, which sees everything, and is no user. */
const SYSTEM: Caller = {
  kind: 'session',
  userUid: null,
  userName: null,
  isAdmin: true,
  isReadOnlyAdmin: false,
  isGuest: false,
  roles: [],
  scopes: [],
  endpointPath: null,
  tokenId: 'migration',
};
