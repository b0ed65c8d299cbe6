import { JOB_LOOK_INTERVAL_MS } from '#base/limits.ts';
import { EMBEDDING_BATCH_TEXTS_MAX } from '#base/search-limits.ts';
import type { JobRegistry, RunningJob } from '#jobs/job-registry.ts';
import type { EmbedderState } from '#search/embeddings/embedder.ts';
import type { IndexState } from '#search/indexing/search-snapshot.ts';

export interface IndexJobsParts {
  readonly jobs: Pick<JobRegistry, 'start'>;
  readonly index: {
    readonly state: IndexState;
    /** Whether nothing is indexed any more. */
    readonly isLost: boolean;
  };
  /** Undefined while there is no embedder. */
  readonly embedderState: () => EmbedderState | undefined;
  /** Told when either state is another one. */
  readonly onState: () => void;
}

/** Looks every so often, as long as it is not disposed. */
export function startIndexJobs(parts: IndexJobsParts): Disposable {
  const jobs = new IndexJobs(parts);
  const timer = setInterval(() => jobs.look(), JOB_LOOK_INTERVAL_MS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/**
 * Shows as jobs what other threads do at length: types that are indexed again, and texts that are
 * embedded, when they are more than go into one request. Both tell how far they are anyway.
 */
export class IndexJobs {
  readonly #parts: IndexJobsParts;
  #rebuild: { readonly job: RunningJob; readonly startedAt: string } | undefined;
  #backfill: { readonly job: RunningJob; readonly embeddedBefore: number } | undefined;
  #toldError: string | null = null;
  #told: string | undefined;

  constructor(parts: IndexJobsParts) {
    this.#parts = parts;
  }

  look(): void {
    this.#lookAtRebuild();
    this.#lookAtTexts();
    const { index, embedderState, onState } = this.#parts;
    const state = JSON.stringify([index.state, embedderState()]);
    if (state === this.#told) return;
    this.#told = state;
    onState();
  }

  #lookAtRebuild(): void {
    const { jobs, index } = this.#parts;
    const { rebuild } = index.state;
    if (this.#rebuild !== undefined) {
      if (index.isLost) this.#rebuild.job.end('failed', new Error('nothing is indexed any more'));
      else if (rebuild?.startedAt === this.#rebuild.startedAt) {
        this.#rebuild.job.report(reportOf(rebuild));
        return;
      } else this.#rebuild.job.end('succeeded');
      this.#rebuild = undefined;
    }
    if (rebuild === null || index.isLost) return;
    const { step } = reportOf(rebuild);
    const job = jobs.start({ kind: 'index-rebuild', step });
    this.#rebuild = { job, startedAt: rebuild.startedAt };
    job.report(reportOf(rebuild));
  }

  #lookAtTexts(): void {
    const { jobs, index, embedderState } = this.#parts;
    const { waiting } = index.state.texts;
    const embedder = embedderState();
    if (embedder === undefined) return;
    const isOff = embedder.status === 'off';
    if (this.#backfill === undefined) {
      if (isOff || waiting <= EMBEDDING_BATCH_TEXTS_MAX) return;
      const job = jobs.start({ kind: 'embedding-backfill', step: 'Embedding texts' });
      this.#backfill = { job, embeddedBefore: embedder.embedded };
    }
    const { job, embeddedBefore } = this.#backfill;
    const done = embedder.embedded - embeddedBefore;
    const hasEnded = waiting === 0 && index.state.rebuild === null;
    job.report({
      progress: done / Math.max(1, done + waiting),
      step: `Embedded ${done} texts, ${waiting} wait`,
      waitingFor: embedder.status === 'waiting' ? 'the provider of embeddings' : null,
    });
    if (embedder.lastError !== null && embedder.lastError !== this.#toldError) {
      job.log(embedder.lastError);
    }
    this.#toldError = embedder.lastError;
    if (isOff) job.log('There is no provider of embeddings any more.');
    if (!isOff && !hasEnded) return;
    job.end(isOff ? 'cancelled' : 'succeeded');
    this.#backfill = undefined;
  }
}

function reportOf({ types, done, total }: NonNullable<IndexState['rebuild']>) {
  return { progress: done / Math.max(1, total), step: `Indexing ${types.join(', ')}` };
}
