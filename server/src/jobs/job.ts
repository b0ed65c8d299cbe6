/** Long pieces of work that the server does (open-shapes, section 8). */
export type JobKind =
  | 'index-rebuild'
  | 'embedding-backfill'
  | 'endpoint-recheck'
  | 'replica-verification'
  | 'deep-research'
  | 'definitions-import'
  | 'backup'
  | 'backup-verification'
  | 'task'
  | 'migration';

/** `interrupted`: the process ended before the work did. */
export type JobState = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'interrupted';

export interface Job {
  readonly id: string;
  readonly kind: JobKind;
  readonly state: JobState;
  /** From 0 to 1; never goes back. */
  readonly progress: number;
  /** What is done now, or was done last. */
  readonly step: string;
  /** Absent while it waits for nothing. */
  readonly waitingFor?: string;
  readonly isCancellable: boolean;
  /** ISO 8601 UTC. */
  readonly startedAt: string;
  /** Null until it has ended. Of one that was interrupted, when that was found out. */
  readonly endedAt: string | null;
  /** Of one that failed. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** A line of a job's log. */
export interface JobLine {
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly text: string;
}

/** A job with the last lines of its log, oldest first. */
export interface JobWithLog extends Job {
  readonly log: readonly JobLine[];
}

/** A job as it is kept over a restart. */
export interface StoredJob {
  readonly job: Job;
  /** UID of the user whose job it is; of none when absent. */
  readonly owner?: string;
  /** Counts the changes, lines included; those of each line rise. */
  readonly revision: number;
  readonly lines: readonly (JobLine & { readonly revision: number })[];
}

export function hasEnded({ state }: Job): boolean {
  return state !== 'queued' && state !== 'running';
}
