import { createHash } from 'node:crypto';
import type {
  CheckedGoldenAnswersChange,
  GoldenAgreements,
  GoldenAnswers as GoldenAnswersShape,
  GoldenAnswersList,
  GoldenLabels,
  GoldenReport,
  GoldenRunList,
  GoldenRunRequest,
  GoldenRunStarted,
} from '@trellis/contract/shapes/golden-answers.ts';
import { type AuditAction, type AuditTrail, deed } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import {
  GOLDEN_ANSWER_SETS_MAX,
  GOLDEN_LABELS_KEPT,
  GOLDEN_RUN_TOKENS_DEFAULT,
  GOLDEN_RUNS_KEPT,
} from '#base/assistant-limits.ts';
import { afterRace, checkSeen } from '#base/after-race.ts';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { commitAndRead } from '#graph/commit-and-read.ts';
import { didYouMean } from '#graph/names.ts';
import type { CommitPort, WriterOperation } from '#graph/operations.ts';
import type { Staging } from '#graph/staged-commits.ts';
import type { JobRegistry, RunningJob } from '#jobs/job-registry.ts';
import { agreementsOf, checkLabels, withLabels } from './golden-labels.ts';
import { type GoldenRunParts, runQuestions } from './golden-run.ts';
import {
  GoldenStore,
  resultOperation,
  runOperation,
  type RunOf,
  setOperation,
  shownRun,
  type StoredGoldenAnswers,
  type StoredRun,
} from './golden-store.ts';
import { allowedModel, payerOf } from '../model/asked-model.ts';
import { checkGoldenAnswers } from './golden-check.ts';
import { comparisonOf, summaryOf } from './question-metrics.ts';

export interface GoldenAnswersParts extends GoldenRunParts {
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly clock: Clock;
  readonly jobs: JobRegistry;
  /** The first is the default. Throws `llm_not_configured`. */
  readonly allowedModels: () => readonly string[];
  /** Called with errors that are the server's own fault. */
  readonly onFault: (error: unknown) => void;
}

interface GoldenRunning {
  readonly of: RunOf;
  readonly over: Promise<void>;
}

/**
 * Questions with what their answers must say, and runs that ask them (open-shapes, section 14). One
 * run at a time; each answer is stored as it comes, so that a run that was cut off can go on.
 */
export class GoldenAnswers implements AsyncDisposable {
  readonly #parts: GoldenAnswersParts;
  readonly #store: GoldenStore;
  readonly #closing = new AbortController();
  readonly #busyWith: () => string | undefined;
  #running: GoldenRunning | undefined;

  /** `busyWith` is the name of the set that somebody else runs. */
  constructor(parts: GoldenAnswersParts, busyWith = (): string | undefined => undefined) {
    this.#parts = parts;
    this.#store = new GoldenStore(parts.reader);
    this.#busyWith = () => this.#running?.of.name ?? busyWith();
  }

  /** Marks the runs that a stop of the server has cut off. */
  async endInterrupted(): Promise<void> {
    this.#parts.reader.refresh();
    for (const { of, run } of this.#store.underWay()) {
      await this.#commit([runOperation(of.name, await this.#ended(of, run, 'interrupted'))]);
    }
  }

  list(_caller: Caller): GoldenAnswersList {
    this.#parts.reader.refresh();
    return { items: this.#store.list() };
  }

  /** This and all others but `put` throw `golden_answers_not_found`. */
  get(_caller: Caller, name: string): GoldenAnswersShape {
    const { description, questions, version } = this.#find(name);
    return { name, description, questions, version };
  }

  /**
   * Makes the set, or replaces the one of this name, whose runs stay. Throws `invalid_request`, and
   * `version_conflict` where it is not the version that the caller has seen, or where others keep
   * changing it meanwhile.
   */
  async put(
    caller: Caller,
    name: string,
    set: CheckedGoldenAnswersChange,
    address: string,
  ): Promise<GoldenAnswersShape> {
    checkGoldenAnswers(set);
    // A run that begins changes the set too, though not what callers see of it.
    return afterRace(
      () => this.#put(caller, name, set, address),
      () => {
        this.#parts.reader.refresh();
        const current = this.#store.find(name)?.version ?? 0;
        checkSeen(set.version, current, `The set of golden answers "${name}"`);
      },
    );
  }

  async #put(
    caller: Caller,
    name: string,
    set: CheckedGoldenAnswersChange,
    address: string,
  ): Promise<GoldenAnswersShape> {
    const before = this.#store.find(name);
    if (this.#store.count >= GOLDEN_ANSWER_SETS_MAX && before === undefined) {
      throw new Problem(
        'invalid_request',
        `There are ${GOLDEN_ANSWER_SETS_MAX} sets of golden answers already.`,
        { hint: 'Delete one that is not needed any more.' },
      );
    }
    const details = { questions: set.questions.length };
    const audited = this.#audited('golden-answers.changed', { caller, address, name, details });
    await this.#commit([setOperation(name, set, before), audited]);
    return this.get(caller, name);
  }

  /** Deletes a set and its runs. Throws `golden_run_running`. */
  async delete(caller: Caller, name: string, address: string): Promise<void> {
    const set = this.#find(name);
    if (this.#busyWith() === name) throw busy(name);
    const audited = this.#audited('golden-answers.deleted', { caller, address, name });
    await this.#commit([...this.#store.deletion(set), audited]);
  }

  /** The same, as a part of a larger commit. */
  over({ reader, commits }: Staging): GoldenAnswers {
    return new GoldenAnswers({ ...this.#parts, reader, commits }, this.#busyWith);
  }

  /** Newest first. */
  runs(_caller: Caller, name: string): GoldenRunList {
    return { items: this.#store.runs(this.#find(name)).map(shownRun) };
  }

  /** Throws `golden_run_not_found`, also for `compare`. */
  async report(
    _caller: Caller,
    name: string,
    wanted: { readonly run: number; readonly compare?: number | undefined },
  ): Promise<GoldenReport> {
    const set = this.#find(name);
    const stored = this.#findRun({ name, run: wanted.run });
    const results = this.#store.results({ name, ...stored });
    const before = this.#earlierThan(set, wanted);
    return {
      ...shownRun(stored),
      name,
      results,
      comparison:
        before === undefined
          ? null
          : await comparisonOf(results, {
              run: before.run,
              results: this.#store.results({ name, ...before }),
            }),
      agreement: this.#agreements(set, stored),
    };
  }

  /**
   * Starts a run, or goes on with one. Rejects with `golden_run_running`, `llm_not_configured`,
   * `model_not_found`, `golden_run_not_found`, `golden_run_not_resumable`, and with the problems of
   * the writer.
   */
  async run(
    caller: Caller,
    name: string,
    request: GoldenRunRequest,
    address: string,
  ): Promise<GoldenRunStarted> {
    const set = this.#find(name);
    this.#closing.signal.throwIfAborted();
    const busyWith = this.#busyWith();
    if (busyWith !== undefined) throw busy(busyWith);
    const { jobs } = this.#parts;
    const planned = this.#planned(set, request, caller);
    const of = { name, run: planned.run };
    const over = Promise.withResolvers<void>();
    this.#running = { of, over: over.promise };
    const job = jobs.start({ kind: 'golden-answers', step: 'Begins', isCancellable: true });
    const run = { ...planned, job: job.id };
    const details = { run: run.run, model: run.model, questions: run.questions, job: job.id };
    const audited = this.#audited('golden-answers.run', { caller, address, name, details });
    try {
      const begun =
        request.resume === undefined ? this.#store.beginning(set, run) : [runOperation(name, run)];
      await this.#commit([...begun, audited]);
    } catch (error) {
      this.#running = undefined;
      job.end('failed', error);
      over.resolve();
      throw error;
    }
    void this.#do({ set, run, job, caller, address }).finally(() => {
      this.#running = undefined;
      over.resolve();
    });
    return { ...jobs.get(caller, job.id), run: run.run };
  }

  /**
   * Keeps what a person says of a run that has ended. Throws `golden_run_not_found`,
   * `golden_run_running`, `invalid_request`.
   */
  async label(
    caller: Caller,
    name: string,
    { run: number, labels }: GoldenLabels,
    address: string,
  ): Promise<GoldenAgreements> {
    const set = this.#find(name);
    const of = { name, run: number };
    const run = this.#findRun(of);
    if (run.state === 'running') throw busy(name);
    checkLabels(labels, this.#store.results({ ...of, questions: run.questions }));
    const user = caller.userUid ?? caller.tokenId;
    const at = new Date(this.#parts.clock.now()).toISOString();
    const kept = withLabels(
      this.#store.labels(of),
      labels.map((one) => ({ ...one, user, at })),
    );
    if (kept.length > GOLDEN_LABELS_KEPT) {
      const message = `A run has at most ${GOLDEN_LABELS_KEPT} verdicts of people.`;
      throw new Problem('invalid_request', message);
    }
    const details = { run: number, labels: labels.length };
    const audited = this.#audited('golden-answers.labelled', { caller, address, name, details });
    const version = this.#store.runVersion(of);
    await this.#commit([{ ...runOperation(name, run, kept), ifVersion: version }, audited]);
    return this.#agreements(set, this.#findRun(of));
  }

  /** Stops the run under way, and writes nothing about it: the next start marks it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Problem('server_stopping', 'The server stops.'));
    await this.#running?.over;
  }

  #planned(set: StoredGoldenAnswers, request: GoldenRunRequest, caller: Caller): StoredRun {
    const { checks, clock, allowedModels } = this.#parts;
    const digest = digestOf(set);
    const { resume, maxQuestions = Infinity } = request;
    const common = {
      job: '',
      state: 'running',
      endedAt: null,
      judge: checks.judge(),
      startedBy: payerOf(caller),
      metrics: null,
    } as const;
    if (resume === undefined) {
      return {
        ...common,
        run: set.runs + 1,
        digest,
        startedAt: new Date(clock.now()).toISOString(),
        model: allowedModel(request.model, allowedModels()),
        questions: Math.min(set.questions.length, maxQuestions),
        answered: 0,
        failed: 0,
        maxTokens: request.maxTokens ?? GOLDEN_RUN_TOKENS_DEFAULT,
        tokensUsed: 0,
      };
    }
    const run = this.#findRun({ name: set.name, run: resume });
    const model = allowedModel(request.model ?? run.model, allowedModels());
    const why = notResumable(run, { ...common, digest, model });
    if (why !== undefined) throw new Problem('golden_run_not_resumable', why);
    const { tokensUsed } = run;
    const maxTokens = tokensUsed + (request.maxTokens ?? GOLDEN_RUN_TOKENS_DEFAULT);
    return { ...run, ...common, maxTokens };
  }

  /** Never rejects. */
  async #do(started: {
    readonly set: StoredGoldenAnswers;
    readonly run: StoredRun;
    readonly job: RunningJob;
    readonly caller: Caller;
    readonly address: string;
  }): Promise<void> {
    const { set, job, caller, address } = started;
    const { name } = set;
    const of = { name, run: started.run.run };
    let run = started.run;
    let state: StoredRun['state'];
    let failure: unknown;
    const signal = AbortSignal.any([job.signal, this.#closing.signal]);
    try {
      state = await runQuestions(
        {
          questions: set.questions.slice(0, run.questions),
          answered: (index) => this.#store.result(of, index),
          payer: caller,
          model: run.model,
          tokensMax: run.maxTokens - run.tokensUsed,
          signal,
          onResult: async (index, result, tokens) => {
            run = { ...run, tokensUsed: run.tokensUsed + tokens };
            await this.#commit([resultOperation(of, index, result), runOperation(name, run)]);
            const step = `${index + 1} of ${run.questions} questions`;
            job.report({ progress: (index + 1) / run.questions, step });
            if (result.error !== null) job.log(`${result.id}: ${result.error.code}`);
          },
        },
        this.#parts,
      );
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      state = job.signal.aborted ? 'cancelled' : 'failed';
      failure = state === 'failed' ? this.#problemOf(error) : undefined;
    }
    try {
      run = await this.#ended(of, run, state);
      const details = { run: run.run, state, answered: run.answered, tokens: run.tokensUsed };
      const event = { caller, address, name, details };
      await this.#commit([runOperation(name, run), this.#audited('golden-answers.ended', event)]);
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      job.end('failed', this.#problemOf(error));
      return;
    }
    if (state === 'cancelled') job.end('cancelled');
    else if (state === 'failed') job.end('failed', failure);
    else job.end('succeeded');
  }

  async #ended(of: RunOf, run: StoredRun, state: StoredRun['state']): Promise<StoredRun> {
    const results = this.#store.results({ ...of, questions: run.questions });
    const answered = results.filter(({ error }) => error === null);
    return {
      ...run,
      state,
      endedAt: new Date(this.#parts.clock.now()).toISOString(),
      answered: answered.length,
      failed: results.length - answered.length,
      metrics: await summaryOf(answered, run.judge),
    };
  }

  /** Of all kept runs of the set that the same judge, or none, has looked at. */
  #agreements(set: StoredGoldenAnswers, { judge }: StoredRun): GoldenAgreements {
    const runs = this.#store.runs(set).filter((run) => run.judge === judge);
    return agreementsOf(
      runs.map((run) => {
        const of = { name: set.name, run: run.run };
        const labels = this.#store.labels(of);
        const results = labels.length === 0 ? [] : this.#store.results({ ...of, ...run });
        return { labels, results };
      }),
    );
  }

  /** The run to compare with; throws `golden_run_not_found` only for one that was asked for. */
  #earlierThan(
    set: StoredGoldenAnswers,
    { run, compare }: { readonly run: number; readonly compare?: number | undefined },
  ): StoredRun | undefined {
    if (compare !== undefined) return this.#findRun({ name: set.name, run: compare });
    return this.#store.runs(set).find((one) => one.run < run && one.answered > 0);
  }

  #find(name: string): StoredGoldenAnswers {
    this.#parts.reader.refresh();
    const found = this.#store.find(name);
    if (found !== undefined) return found;
    const names = this.#store.list().map((set) => set.name);
    const message = `There is no set of golden answers "${name}".`;
    throw new Problem('golden_answers_not_found', message, { ...didYouMean(name, names) });
  }

  #findRun(of: RunOf): StoredRun {
    const found = this.#store.run(of);
    if (found !== undefined) return found;
    const message = `The set "${of.name}" has no run ${of.run}; the last ${GOLDEN_RUNS_KEPT} are kept.`;
    throw new Problem('golden_run_not_found', message);
  }

  #audited(
    action: AuditAction,
    event: {
      readonly caller: Caller;
      readonly address: string;
      readonly name: string;
      readonly details?: Readonly<Record<string, unknown>>;
    },
  ): WriterOperation {
    const { caller, address, name, details = {} } = event;
    const target = { kind: 'golden-answers', id: name };
    return this.#parts.audit.operation(deed(action, { caller, address }, target, details));
  }

  async #commit(operations: readonly WriterOperation[]): Promise<void> {
    await commitAndRead(operations, this.#parts);
  }

  #problemOf(error: unknown): Problem {
    if (error instanceof Problem) return error;
    this.#parts.onFault(error);
    return new Problem('internal_error', 'Something went wrong on our side.', { cause: error });
  }
}

/** Answers of one run must be comparable. */
function notResumable(
  run: StoredRun,
  now: Pick<StoredRun, 'digest' | 'judge' | 'model'>,
): string | undefined {
  if (run.state === 'running') return `Run ${run.run} is under way.`;
  if (run.state === 'completed') return `Run ${run.run} is complete.`;
  if (run.digest !== now.digest) return 'The questions have changed since.';
  if (run.model !== now.model) return `Run ${run.run} asks the model ${run.model}.`;
  return run.judge === now.judge ? undefined : 'There is another judge now.';
}

function digestOf({ questions }: Pick<GoldenAnswersShape, 'questions'>): string {
  return createHash('sha256').update(JSON.stringify(questions)).digest('hex');
}

function busy(name: string): Problem {
  return new Problem('golden_run_running', `The golden answers "${name}" are being run.`);
}
