import type { List } from '@trellis/contract/shapes/list.ts';
import type { JobWithLog } from '@trellis/contract/shapes/job.ts';
import { Problem } from '#base/problem.ts';
import type { JobRegistry, NewJob, RunningJob } from '#jobs/job-registry.ts';
import { SERVER } from '#jobs/job-viewer.ts';
import { listHeaders, readHeader, type BackupHeader } from './backup-header.ts';
import type { BackupTarget } from './backup-target.ts';
import type { WorkProgress } from './work-progress.ts';

/** The work itself, which is done away from whoever serves requests. One at a time. */
export interface BackupWork {
  /** Also removes the backups that need not be kept. */
  run(progress: WorkProgress): Promise<BackupHeader>;
  verify(id: string, progress: WorkProgress): Promise<void>;
  /** Also removes the pieces that nothing needs any more. */
  remove(id: string): Promise<void>;
}

export interface BackupServiceParts {
  /** Undefined where no target is configured. */
  readonly configured: { readonly target: BackupTarget; readonly work: BackupWork } | undefined;
  readonly jobs: JobRegistry;
  /** Called once one is made, or gone. */
  readonly onChange: () => void;
}

/** A backup that has begun. */
export interface StartedBackup {
  readonly job: JobWithLog;
  /** Resolves once it is there; rejects with why it is not. */
  readonly done: Promise<BackupHeader>;
}

/**
 * The backups of a workspace. One thing is done at a time: while a backup is made, verified or
 * removed, the rest is refused with `backup_running`. Without a target everything throws
 * `no_backup_target`.
 */
export class BackupService {
  readonly #parts: BackupServiceParts;
  /** The work that runs, in words for people. */
  #busy: string | undefined;

  constructor(parts: BackupServiceParts) {
    this.#parts = parts;
  }

  /** Newest first. */
  async list({
    skip,
    take,
  }: {
    readonly skip: number;
    readonly take: number;
  }): Promise<List<BackupHeader>> {
    const headers = await listHeaders(this.#configured().target);
    return { items: headers.slice(skip, skip + take), total: headers.length, skip, take };
  }

  /** Begins a backup. */
  run(): StartedBackup {
    const { work } = this.#configured();
    return this.#begin({ kind: 'backup', step: 'Looking at what there is' }, async (job) => {
      const header = await work.run(progressOf(job));
      job.log(
        `Backup ${header.id}: ${header.nodes} nodes and ${header.edges} edges at sequence ${header.sequence}, ${header.newBytes} new bytes.`,
      );
      this.#parts.onChange();
      return header;
    });
  }

  /** Begins to compare a backup with what it was made of. Throws `backup_not_found`. */
  async verify(id: string): Promise<JobWithLog> {
    const { target, work } = this.#configured();
    await readHeader(target, id);
    const step = `Looking at the backup ${id}`;
    return this.#begin({ kind: 'backup-verification', step }, (job) =>
      work.verify(id, progressOf(job)),
    ).job;
  }

  /** Resolves once it is gone. Throws `backup_not_found`. */
  async remove(id: string): Promise<void> {
    const { target, work } = this.#configured();
    this.#refuseBusy();
    this.#busy = `the backup ${id} is being deleted`;
    try {
      await readHeader(target, id);
      await work.remove(id);
      this.#parts.onChange();
    } finally {
      this.#busy = undefined;
    }
  }

  #begin<T>(
    wanted: NewJob,
    work: (job: RunningJob) => Promise<T>,
  ): { readonly job: JobWithLog; readonly done: Promise<T> } {
    this.#refuseBusy();
    const { jobs } = this.#parts;
    const job = jobs.start({ ...wanted, isCancellable: true });
    this.#busy = `the job ${job.id} (${wanted.kind}) is running`;
    const done = work(job)
      .then(
        (result) => {
          job.end('succeeded');
          return result;
        },
        (error: unknown) => {
          if (job.signal.aborted) job.end('cancelled');
          else job.end('failed', error);
          throw error;
        },
      )
      .finally(() => (this.#busy = undefined));
    // The job tells of a failure; whoever waits for the end hears of it too.
    done.catch(() => undefined);
    return { job: jobs.get(SERVER, job.id), done };
  }

  #refuseBusy(): void {
    if (this.#busy === undefined) return;
    throw new Problem('backup_running', `Backups are busy: ${this.#busy}.`);
  }

  #configured() {
    const { configured } = this.#parts;
    if (configured !== undefined) return configured;
    throw new Problem('no_backup_target', 'The server has nowhere to keep backups.');
  }
}

function progressOf(job: RunningJob): WorkProgress {
  return {
    signal: job.signal,
    report: (progress, step) => job.report({ progress, step }),
    log: (text) => job.log(text),
  };
}
