import type { Caller } from '#access/caller.ts';
import type { BackupList } from '@trellis/contract/shapes/backup.ts';
import type { Job, JobLine, JobListQuery, JobWithLog } from '@trellis/contract/shapes/job.ts';
import type { LicenseReport } from '@trellis/contract/shapes/license.ts';
import type { List, Page } from '@trellis/contract/shapes/list.ts';
import type {
  LiveLogRecord,
  LogFileList,
  LogFilter,
  LogPage,
  LogQuery,
} from '@trellis/contract/shapes/log.ts';
import type { Awaitable } from './answer.ts';

export interface LicenseService {
  report(): LicenseReport;
}

/** What a watcher of a job has not seen yet. */
export interface JobNews {
  readonly job: Job;
  readonly lines: readonly (JobLine & { readonly revision: number })[];
  /** Of the job. */
  readonly revision: number;
}

/**
 * A user sees their own jobs, a token those that its scopes begin, an administrator all. What names another throws
 * `forbidden` to users and `job_not_found` to tokens, as does what names none.
 */
export interface JobService {
  list(caller: Caller, query: JobListQuery): Awaitable<List<Job>>;
  get(caller: Caller, id: string): Awaitable<JobWithLog>;
  /** Of administrators, for those who may write. Throws `job_not_cancellable`, `job_ended`. */
  cancel(caller: Caller, id: string): Awaitable<Job>;
  /** What comes after a revision, or all there is; until the job has ended or the signal aborts. */
  watch(
    caller: Caller,
    id: string,
    from: { readonly after: number | undefined; readonly signal: AbortSignal },
  ): AsyncIterable<JobNews>;
}

/** Where the server has no target, all but the list throws `no_backup_target`; one thing is done at a time, else `backup_running`. */
export interface BackupService {
  /** Throws what a target does that cannot be read. */
  list(page: Page): Promise<BackupList>;
  /** `address`, here and below, is that of the client, for the audit. */
  run(caller: Caller, address: string): Awaitable<JobWithLog>;
  /** This and the next throw `backup_not_found`. */
  verify(caller: Caller, id: string, address: string): Promise<JobWithLog>;
  remove(caller: Caller, id: string, address: string): Promise<void>;
}

/** Records that come as they are logged. */
export interface LogBatch {
  readonly lines: readonly LiveLogRecord[];
  /** Records that were gone before they could be given. */
  readonly dropped: number;
  /** Up to this record all were looked at. */
  readonly sequence: number;
}

/** What this server has logged. */
export interface LogService {
  files(): Awaitable<LogFileList>;
  search(query: LogQuery): Awaitable<LogPage>;
  /** After the record of this sequence, or from now on, until the signal aborts or "to" has passed. */
  watch(
    filter: LogFilter,
    from: { readonly after: number | undefined; readonly signal: AbortSignal },
  ): AsyncIterable<LogBatch>;
  /** Lines of text. Throws `log_file_not_found` before the first. */
  download(wanted: {
    readonly query?: string | undefined;
    readonly fileNames?: readonly string[] | undefined;
  }): AsyncIterable<string>;
}
