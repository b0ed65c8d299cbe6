import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import {
  RESEARCH_INSTRUCTIONS_CHARACTERS_MAX,
  RESEARCH_MINUTES_MAX,
  RESEARCH_QUESTION_CHARACTERS_MAX,
  RESEARCH_QUEUED_MAX,
  RESEARCH_RUNNING_MAX,
  RESEARCH_STEPS_MAX,
  RESEARCH_STEPS_MIN,
  RESEARCH_TOKENS_MAX,
  RESEARCHER_NAME_CHARACTERS_MAX,
  RESEARCHERS_MAX,
} from '../limits.ts';

const uid = z.string().min(1).max(100);

/** The same name in the query of a cancellation. */
export const chatInQuery = z.object({ chatUID: uid });

/** A chat of the caller's own. */
export const chatInPath = z.object({ uid });

export const researchStart = z.strictObject({
  chatUID: uid,
  question: z.string().trim().min(1).max(RESEARCH_QUESTION_CHARACTERS_MAX),
});

const limit = (max: number) => z.int().min(1).max(max);

/** How many researches there may be, and how far one may go (specification, section 4.6). */
const researchLimits = z.strictObject({
  /** Researches that wait, in the workspace. */
  queued: limit(RESEARCH_QUEUED_MAX),
  /** At a time, in the workspace. */
  running: limit(RESEARCH_RUNNING_MAX),
  /** Runs of one user, waiting or under way. */
  runsPerUser: limit(RESEARCH_QUEUED_MAX),
  /** Times that a model is asked by one research. */
  steps: limit(RESEARCH_STEPS_MAX),
  /** In and out, of one research. */
  tokens: limit(RESEARCH_TOKENS_MAX),
  /** From the beginning of one research, without the time that it waited. */
  minutes: limit(RESEARCH_MINUTES_MAX),
});
export type ResearchLimits = Immutable<z.infer<typeof researchLimits>>;

/** Zero takes back what was set, so that the default holds. */
const change = (max: number) => z.int().min(0).max(max).optional();
const limitsChange = z.strictObject({
  queued: change(RESEARCH_QUEUED_MAX),
  running: change(RESEARCH_RUNNING_MAX),
  runsPerUser: change(RESEARCH_QUEUED_MAX),
  steps: z
    .int()
    .min(0)
    .max(RESEARCH_STEPS_MAX)
    .refine(
      (steps) => steps === 0 || steps >= RESEARCH_STEPS_MIN,
      `must be 0, or at least ${RESEARCH_STEPS_MIN}: a plan, a search, its answer and the report`,
    )
    .optional(),
  tokens: change(RESEARCH_TOKENS_MAX),
  minutes: change(RESEARCH_MINUTES_MAX),
});

/** Researchers work side by side; each gets those parts of a question that are for it. */
const researcher = z.strictObject({
  name: z.string().trim().min(1).max(RESEARCHER_NAME_CHARACTERS_MAX),
  /** For the model: what it is to look for, and how. */
  instructions: z.string().trim().min(1).max(RESEARCH_INSTRUCTIONS_CHARACTERS_MAX),
});
export type Researcher = Immutable<z.infer<typeof researcher>>;

/** One research, for administrators: who and where, never what was asked. */
const researchRun = z.strictObject({
  chatUID: z.string(),
  jobId: z.string(),
  user: z.strictObject({ uid: z.string(), name: z.string() }),
  /** When it was asked for. */
  startedAt: z.iso.datetime(),
  /** The step of its job. */
  step: z.string(),
});
export type ResearchRun = Immutable<z.infer<typeof researchRun>>;

export const researchSettings = z.strictObject({
  /** As they hold. */
  limits: researchLimits,
  /** As they hold where nothing is set. */
  defaults: researchLimits,
  researchers: z.array(researcher),
  running: z.array(researchRun),
  /** The next one first. */
  queued: z.array(researchRun),
});
export type ResearchSettings = Immutable<z.infer<typeof researchSettings>>;

/** What is left out stays as it is. */
export const researchSettingsChange = z.strictObject({
  limits: limitsChange.optional(),
  /** All of them, each name once; an empty list brings back those that are built in. */
  researchers: z
    .array(researcher)
    .max(RESEARCHERS_MAX)
    .refine(
      (all) => new Set(all.map(({ name }) => name)).size === all.length,
      'must have each name once',
    )
    .optional(),
});
export type ResearchSettingsChange = Immutable<z.infer<typeof researchSettingsChange>>;
