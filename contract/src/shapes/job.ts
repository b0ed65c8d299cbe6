import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import { pageQuery } from './list.ts';

/** Long pieces of work that the server does. */
export const JOB_KINDS = [
  'index-rebuild',
  'schema-index',
  'schema-change',
  'embedding-backfill',
  'endpoint-recheck',
  'replica-verification',
  'deep-research',
  'golden-answers',
  'definitions-import',
  'backup',
  'backup-verification',
  'task',
  'migration',
  'duplicate-search',
  'document-extraction',
] as const;
const kind = z.enum(JOB_KINDS);
export type JobKind = z.infer<typeof kind>;

/** `interrupted`: the process ended before the work did. The last four are ends. */
export const JOB_STATES = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'interrupted',
] as const;
const state = z.enum(JOB_STATES);
export type JobState = z.infer<typeof state>;

/** Open-shapes, section 8. */
export const job = z.strictObject({
  id: z.string(),
  kind,
  state,
  /** Never goes back. */
  progress: z.number().min(0).max(1),
  /** What is done now, or was done last. */
  step: z.string(),
  /** Absent while it waits for nothing. */
  waitingFor: z.string().optional(),
  isCancellable: z.boolean(),
  startedAt: z.iso.datetime(),
  /**
   * Null until the job has ended. For an interrupted job: the time at which the next start of the
   * server found it.
   */
  endedAt: z.iso.datetime().nullable(),
  /** Why the job failed; only there when it did. */
  error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
});
export type Job = Immutable<z.infer<typeof job>>;

/** A line of a job's log. */
export const jobLine = z.strictObject({ at: z.iso.datetime(), text: z.string() });
export type JobLine = Immutable<z.infer<typeof jobLine>>;

/** The last lines of the log, oldest first. */
export const jobWithLog = job.extend({ log: z.array(jobLine) });
export type JobWithLog = Immutable<z.infer<typeof jobWithLog>>;

export const jobQuery = z.object({ state: state.optional(), kind: kind.optional() });
export const jobListQuery = jobQuery.extend(pageQuery.shape);
