import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import {
  ENDPOINT_NAME_CHARACTERS_MAX,
  TASK_CRON_CHARACTERS_MAX,
  TASK_NAME_CHARACTERS_MAX,
  TASK_TIME_ZONE_CHARACTERS_MAX,
} from '../limits.ts';

/** A segment of a path: of tasks and of migrations. */
export const segmentName = z
  .string()
  .max(TASK_NAME_CHARACTERS_MAX)
  .regex(
    /^[\p{L}\p{N}](?:[\p{L}\p{N} ._-]*[\p{L}\p{N}_-])?$/u,
    'must be made of letters, digits, " ", ".", "_" and "-", and begin with a letter or digit',
  );

export const taskInPath = z.object({ name: segmentName });

const cron = z.string().min(1).max(TASK_CRON_CHARACTERS_MAX);
/** An IANA name, such as Europe/Berlin. */
const timeZone = z.string().min(1).max(TASK_TIME_ZONE_CHARACTERS_MAX);

/** What is decided about a task (open-shapes, section 8). */
const taskSettings = z.strictObject({
  /** Five fields, or six with seconds first; `@daily` and the like. */
  cron,
  timeZone,
  /** The name of what it runs; null for one that runs what the server brings along. */
  endpoint: z.string().min(1).max(ENDPOINT_NAME_CHARACTERS_MAX).nullable(),
  builtIn: z.string().min(1).max(TASK_NAME_CHARACTERS_MAX).nullable(),
  /** What the endpoint is called with; null for nothing. */
  body: z.unknown(),
  /** UID of the user as whom the endpoint runs; null for the system. */
  actingUser: z.string().min(1).max(100).nullable(),
  enabled: z.boolean(),
  /** What becomes of a run that was due while the server was down. */
  whenMissed: z.enum(['run', 'skip']),
});

export const newTask = taskSettings.partial().extend({ name: segmentName, cron });
export type NewTask = Immutable<z.infer<typeof newTask>>;

/** What is left out stays as it is. */
export const taskChange = taskSettings.partial();
export type TaskChange = Immutable<z.infer<typeof taskChange>>;

/**
 * `skipped`: it was due while the one before was under way, or the server down. `interrupted`: the
 * server ended first.
 */
export const TASK_RUN_STATES = [
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'interrupted',
  'skipped',
] as const;

export const taskRun = z.strictObject({
  /** Id of the job, as long as that is kept; the id of a skipped run names nothing. */
  id: z.string(),
  task: segmentName,
  state: z.enum(TASK_RUN_STATES),
  /** `missed`: made up for at a start. */
  trigger: z.enum(['schedule', 'missed', 'manual']),
  /** Null for one that somebody asked for. */
  dueAt: z.iso.datetime().nullable(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  /** The beginning of the JSON text of what came of it; null when nothing did. */
  result: z.string().nullable(),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  /** The last lines of what it logged, oldest first. */
  log: z.array(z.strictObject({ at: z.iso.datetime(), text: z.string() })),
  /** How many times in a row; 1 for what was not skipped. */
  times: z.int().min(1),
});
export type TaskRun = Immutable<z.infer<typeof taskRun>>;

/** When it runs: in words, and the next times, none when it is not enabled. */
const timetable = {
  description: z.string(),
  nextRunAt: z.iso.datetime().nullable(),
  nextRunAts: z.array(z.iso.datetime()),
};

export const task = taskSettings.extend({
  UID: z.string(),
  name: segmentName,
  /** A line `// trellis: cron` of its endpoint made it, and changes and removes it. */
  isInCode: z.boolean(),
  ...timetable,
  /** Job of the run that is under way. */
  jobId: z.string().nullable(),
  lastRun: taskRun.nullable(),
  updatedAt: z.iso.datetime(),
});
export type Task = Immutable<z.infer<typeof task>>;

export const scheduleCheck = z.strictObject({ cron, timeZone: timeZone.optional() });

export const checkedSchedule = z.strictObject({ cron, timeZone, ...timetable });

export const builtInTask = z.strictObject({ name: z.string(), description: z.string() });
export type BuiltInTask = Immutable<z.infer<typeof builtInTask>>;
