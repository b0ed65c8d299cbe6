import { z } from 'zod';
import { uidText } from '../bounded-shapes.ts';
import type { Immutable } from '../immutable.ts';
import {
  EMBEDDING_MODEL_CHARACTERS_MAX,
  GOLDEN_HIDDEN_NODES_MAX,
  GOLDEN_LABELS_MAX,
  GOLDEN_NUGGET_CHARACTERS_MAX,
  GOLDEN_NUGGET_NODES_MAX,
  GOLDEN_NUGGETS_MAX,
  GOLDEN_QUESTION_CHARACTERS_MAX,
  GOLDEN_QUESTIONS_MAX,
  GOLDEN_RUN_TOKENS_MAX,
  GOLDEN_SET_DESCRIPTION_CHARACTERS_MAX,
  GOLDEN_SET_NAME_CHARACTERS_MAX,
} from '../limits.ts';
import { NUMBER_CHARACTERS_MAX } from '../request-limits.ts';
import { jobWithLog } from './job.ts';
import { goldenSetName } from './search-evaluation.ts';

const name = goldenSetName();
const description = z.string().max(GOLDEN_SET_DESCRIPTION_CHARACTERS_MAX);
const questionId = z.string().trim().min(1).max(GOLDEN_SET_NAME_CHARACTERS_MAX);

export const goldenAnswersInPath = z.object({ name });

/** A fact that a good answer has. */
export const goldenNugget = z.strictObject({
  text: z.string().trim().min(1).max(GOLDEN_NUGGET_CHARACTERS_MAX),
  importance: z.enum(['vital', 'okay']).default('vital'),
  /** Nodes that say so: an answer that cites one of them has the nugget. */
  uids: z.array(uidText).max(GOLDEN_NUGGET_NODES_MAX).optional(),
});

export const goldenQuestion = z.strictObject({
  /** Unique in its set. */
  id: questionId,
  question: z.string().trim().min(1).max(GOLDEN_QUESTION_CHARACTERS_MAX),
  /** UID or name of the user who asks; whoever starts the run when left out. */
  asUser: z.string().trim().min(1).max(GOLDEN_SET_NAME_CHARACTERS_MAX).optional(),
  nuggets: z.array(goldenNugget).max(GOLDEN_NUGGETS_MAX).default([]),
  /** The right answer is that there is none. */
  mustRefuse: z.boolean().optional(),
  /** Nodes of which the answer says nothing, whether or not the user may see them. */
  mustNotReveal: z.array(uidText).max(GOLDEN_HIDDEN_NODES_MAX).optional(),
});
export type GoldenQuestion = Immutable<z.output<typeof goldenQuestion>>;
export type GoldenNugget = GoldenQuestion['nuggets'][number];

/** Questions with what their answers must say (open-shapes, section 14). */
export const goldenAnswersContent = z.strictObject({
  description: description.default(''),
  questions: z.array(goldenQuestion).min(1).max(GOLDEN_QUESTIONS_MAX),
});
/** As it is sent: what has a default may be left out. */
export type GoldenAnswersContent = Immutable<z.input<typeof goldenAnswersContent>>;
export type CheckedGoldenAnswers = Immutable<z.output<typeof goldenAnswersContent>>;

/** The body of `PUT`. */
export const goldenAnswersChange = goldenAnswersContent.extend({
  /**
   * What the caller has seen, 0 for a set that is not there yet: refused with `version_conflict`
   * when there is a newer one.
   */
  version: z.int().min(0).optional(),
});
export type GoldenAnswersChange = Immutable<z.input<typeof goldenAnswersChange>>;
export type CheckedGoldenAnswersChange = Immutable<z.output<typeof goldenAnswersChange>>;

export const goldenAnswers = goldenAnswersContent.extend({
  name,
  /** Starts at 1 and rises by 1 with every change of its questions or description. */
  version: z.int().min(1),
});
export type GoldenAnswers = Immutable<z.output<typeof goldenAnswers>>;

/** The body of `POST .../run`. */
export const goldenRunRequest = z.strictObject({
  /** Tokens in and out of all questions and of the judge; the run ends when they are used. */
  maxTokens: z.int().min(1).max(GOLDEN_RUN_TOKENS_MAX).optional(),
  /** Only the first so many questions. */
  maxQuestions: z.int().min(1).max(GOLDEN_QUESTIONS_MAX).optional(),
  /** One of those that an administrator allows; the first of them when left out. */
  model: z.string().min(1).max(EMBEDDING_MODEL_CHARACTERS_MAX).optional(),
  /** Goes on with a run that was interrupted, cancelled or out of tokens. */
  resume: z.int().min(1).optional(),
});
export type GoldenRunRequest = Immutable<z.infer<typeof goldenRunRequest>>;

/** Number of a run in its set, from 1. */
const run = z.int().min(1);
const uses = z.int().min(0);

/** The job of a run, and the number of the run. */
export const goldenRunStarted = jobWithLog.extend({ run });
export type GoldenRunStarted = Immutable<z.infer<typeof goldenRunStarted>>;

/** `out-of-tokens`: the tokens were used before all questions were asked. */
export const GOLDEN_RUN_STATES = [
  'running',
  'completed',
  'out-of-tokens',
  'cancelled',
  'failed',
  'interrupted',
] as const;

/** A mean over questions with its 95 % interval; null where no question counts. */
const metricEstimate = z.strictObject({
  value: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  /** Questions that count. */
  n: uses,
  /** Which definition it is. */
  definition: z.string(),
});
export type MetricEstimate = Immutable<z.infer<typeof metricEstimate>>;

const metricDifference = z.strictObject({
  /** Now less before. */
  difference: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  /** Questions that count in both runs. */
  n: uses,
});
export type MetricDifference = Immutable<z.infer<typeof metricDifference>>;

function metricsOf<Shape extends z.ZodType>(shape: Shape) {
  return z.strictObject({
    nuggetRecallVital: shape,
    nuggetRecall: shape,
    citationPrecision: shape,
    citationRecall: shape,
    faithfulness: shape,
    refusals: shape,
    overRefusals: shape,
    leaks: shape,
    tokens: shape,
    ms: shape,
  });
}

export const goldenMetrics = metricsOf(metricEstimate);
export type GoldenMetrics = Immutable<z.infer<typeof goldenMetrics>>;
export type GoldenMetric = keyof GoldenMetrics;

/** One run of a set, without its answers. */
export const goldenRun = z.strictObject({
  run,
  /** Id of its last job. */
  job: z.string(),
  state: z.enum(GOLDEN_RUN_STATES),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  /** The model that answers. */
  model: z.string(),
  /** The one that judges; null when no judge was set. */
  judge: z.string().nullable(),
  /** How many are to be asked, how many have an answer, and how many failed. */
  questions: uses,
  answered: uses,
  failed: uses,
  maxTokens: z.int().min(1),
  tokensUsed: uses,
  /** Null until the run has ended. */
  metrics: goldenMetrics.nullable(),
});
export type GoldenRun = Immutable<z.infer<typeof goldenRun>>;

/** Newest first; the oldest are forgotten. */
export const goldenRunList = z.strictObject({ items: z.array(goldenRun) });
export type GoldenRunList = Immutable<z.infer<typeof goldenRunList>>;

export const goldenAnswersList = z.strictObject({
  items: z.array(
    z.strictObject({ name, description, questions: uses, lastRun: goldenRun.nullable() }),
  ),
});
export type GoldenAnswersList = Immutable<z.infer<typeof goldenAnswersList>>;

/**
 * Where a nugget went missing: the user may not see its nodes; no tool found one; one was found,
 * but cut off before the model; it was read, but the answer does not say it; or the answer says it
 * without citing a node of it.
 */
const lostAt = z.enum(['access', 'search', 'reading', 'answer', 'citing']).nullable();

const goldenNuggetResult = z.strictObject({
  text: z.string(),
  importance: z.enum(['vital', 'okay']),
  uids: z.array(z.string()),
  /** Null where the user may see none of its nodes: then it does not count. */
  isFound: z.boolean().nullable(),
  /** What told: the same words, a cited node, or the judge. */
  by: z.enum(['text', 'citation', 'judge']).nullable(),
  found: z.boolean(),
  read: z.boolean(),
  cited: z.boolean(),
  lostAt,
});
export type GoldenNuggetResult = Immutable<z.infer<typeof goldenNuggetResult>>;

const goldenSentence = z.strictObject({
  text: z.string(),
  verdict: z.enum(['supported', 'partly', 'unsupported', 'unchecked']),
  citations: z.array(
    z.strictObject({
      id: z.int().min(1),
      uid: z.string(),
      quote: z.string().nullable(),
      isPrecise: z.boolean(),
    }),
  ),
});
export type GoldenSentence = Immutable<z.infer<typeof goldenSentence>>;

const goldenLeak = z.strictObject({
  /** The node. */
  uid: z.string(),
  /** The field whose text it is; null for a nugget, and for the node as a whole. */
  field: z.string().nullable(),
  /** Whether the answer says it, or only what the model was given. */
  where: z.enum(['answer', 'read']),
  /** Its beginning. */
  text: z.string(),
});
export type GoldenLeak = Immutable<z.infer<typeof goldenLeak>>;

const perQuestion = metricsOf(z.number().nullable());
export type QuestionMetrics = Immutable<z.infer<typeof perQuestion>>;

export const goldenResult = z.strictObject({
  id: z.string(),
  question: z.string(),
  asUser: z.string().nullable(),
  mustRefuse: z.boolean(),
  answer: z.string(),
  /** Why there is no answer. */
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  nuggets: z.array(goldenNuggetResult),
  sentences: z.array(goldenSentence),
  isRefusal: z.boolean(),
  leaks: z.array(goldenLeak),
  /** Those of this question; null where it does not count. */
  metrics: perQuestion,
});
export type GoldenResult = Immutable<z.infer<typeof goldenResult>>;

const agreement = z.strictObject({
  /** Verdicts of people that a verdict of the report stands against. */
  pairs: uses,
  /** Cohen's kappa; null where all verdicts are the same. */
  kappa: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  /** Null when the agreement is good enough. */
  warning: z.string().nullable(),
});
export type GoldenAgreement = Immutable<z.infer<typeof agreement>>;

/** How far the verdicts of runs with this judge agree with those of people. */
export const goldenAgreements = z.strictObject({ nuggets: agreement, sentences: agreement });
export type GoldenAgreements = Immutable<z.infer<typeof goldenAgreements>>;

/** A run with its answers. */
export const goldenReport = goldenRun.extend({
  name,
  results: z.array(goldenResult),
  /** Null when there is no earlier run. */
  comparison: z
    .strictObject({
      run,
      metrics: metricsOf(metricDifference),
      /** Ids of questions whose nugget recall is lower, or higher. */
      worse: z.array(z.string()),
      better: z.array(z.string()),
    })
    .nullable(),
  agreement: goldenAgreements,
});
export type GoldenReport = Immutable<z.infer<typeof goldenReport>>;

const runText = z
  .string()
  .max(NUMBER_CHARACTERS_MAX)
  .regex(/^[1-9]\d{0,8}$/, 'must be the number of a run')
  .transform(Number);

export const goldenRunInPath = goldenAnswersInPath.extend({ run: runText });

export const goldenReportQuery = z.object({
  /** An earlier run; the one before when left out. */
  compare: runText.optional(),
});

/** A person's verdict on a nugget, or on a sentence, by its place in the result. */
const goldenLabel = z
  .strictObject({
    /** Id of the question. */
    question: questionId,
    nugget: z.int().min(0).max(GOLDEN_NUGGETS_MAX).optional(),
    sentence: z.int().min(0).max(GOLDEN_LABELS_MAX).optional(),
    verdict: z.enum(['found', 'missing', 'supported', 'partly', 'unsupported']),
  })
  .refine(
    ({ nugget, sentence, verdict }) => {
      const isOfNugget = verdict === 'found' || verdict === 'missing';
      return isOfNugget
        ? nugget !== undefined && sentence === undefined
        : sentence !== undefined && nugget === undefined;
    },
    {
      path: ['verdict'],
      error:
        'must be "found" or "missing" with nugget, or "supported", "partly" or "unsupported" with sentence',
    },
  );
export type GoldenLabel = Immutable<z.infer<typeof goldenLabel>>;

/** The body of `POST .../label`; a later verdict of the same person replaces the former. */
export const goldenLabels = z.strictObject({
  run,
  labels: z.array(goldenLabel).min(1).max(GOLDEN_LABELS_MAX),
});
export type GoldenLabels = Immutable<z.infer<typeof goldenLabels>>;
