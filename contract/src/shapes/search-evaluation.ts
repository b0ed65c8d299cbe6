import { z } from 'zod';
import {
  GOLDEN_SET_DESCRIPTION_CHARACTERS_MAX,
  GOLDEN_SET_GRADE_MAX,
  GOLDEN_SET_NAME_CHARACTERS_MAX,
  GOLDEN_SET_QUERIES_MAX,
  GOLDEN_SET_QUERY_CHARACTERS_MAX,
  GOLDEN_SET_RELEVANT_MAX,
} from '../limits.ts';
import type { Immutable } from '../immutable.ts';
import { uidText } from '../bounded-shapes.ts';

/** The name of a golden set, of queries or of questions. */
export function goldenSetName() {
  return z
    .string()
    .max(GOLDEN_SET_NAME_CHARACTERS_MAX)
    .regex(
      /^[A-Za-z\d][\w.-]*$/,
      'must be letters, digits, "-", "_" and ".", and begin with neither',
    );
}

const name = goldenSetName();
const description = z.string().max(GOLDEN_SET_DESCRIPTION_CHARACTERS_MAX);

export const goldenSetInPath = z.object({ name });

/** A UID alone has the grade 1. */
const relevantNode = z.union([
  uidText,
  z.strictObject({ uid: uidText, grade: z.number().positive().max(GOLDEN_SET_GRADE_MAX) }),
]);

/** Queries with the nodes that they should find (open-shapes, section 6). */
export const goldenSetContent = z.strictObject({
  description: description.default(''),
  /**
   * What every search has beside its query: types, fields, filters, language and the like, as in a
   * search.
   */
  request: z.record(z.string(), z.unknown()).default({}),
  queries: z
    .array(
      z.strictObject({
        query: z.string().trim().min(1).max(GOLDEN_SET_QUERY_CHARACTERS_MAX),
        relevant: z.array(relevantNode).min(1).max(GOLDEN_SET_RELEVANT_MAX),
      }),
    )
    .min(1)
    .max(GOLDEN_SET_QUERIES_MAX),
});
/** As it is sent: what has a default may be left out. */
export type GoldenSetContent = Immutable<z.input<typeof goldenSetContent>>;
export type CheckedGoldenSet = Immutable<z.output<typeof goldenSetContent>>;

/** The body of `PUT`. */
export const goldenSetChange = goldenSetContent.extend({
  /**
   * What the caller has seen, 0 for a set that is not there yet: refused with `version_conflict`
   * when there is a newer one.
   */
  version: z.int().min(0).optional(),
});
export type CheckedGoldenSetChange = Immutable<z.output<typeof goldenSetChange>>;

export const goldenSet = goldenSetContent.extend({
  name,
  /** Starts at 1 and rises by 1 with every change of its queries, request or description. */
  version: z.int().min(1),
});
export type GoldenSet = Immutable<z.output<typeof goldenSet>>;

const share = z.number().min(0).max(1);

/** Means over the queries, each over its first 10 hits. */
export const searchMetrics = z.strictObject({
  /** Normalised discounted cumulated gain. */
  ndcg: share,
  /** 1 / rank of the first relevant hit. */
  mrr: share,
  precision: share,
  recall: share,
});
export type SearchMetrics = Immutable<z.infer<typeof searchMetrics>>;

const evaluation = {
  at: z.iso.datetime(),
  /** Sequence of the workspace when the run began. */
  sequence: z.int().min(0),
  /** How many queries have a relevant node that exists: the others do not count. */
  queries: z.int().min(0),
  metrics: searchMetrics,
};

/** One run of a golden set. */
const searchEvaluation = z.strictObject(evaluation);

/** Newest first; the oldest are forgotten. */
export const searchEvaluationList = z.strictObject({ items: z.array(searchEvaluation) });
export type SearchEvaluationList = Immutable<z.infer<typeof searchEvaluationList>>;

export const goldenSetList = z.strictObject({
  items: z.array(
    z.strictObject({
      name,
      description,
      queries: z.int().min(0),
      lastRun: searchEvaluation.nullable(),
    }),
  ),
});
export type GoldenSetList = Immutable<z.infer<typeof goldenSetList>>;

/** Rank of the first relevant hit; null when none of the first 10 is relevant. */
const rank = z.int().min(1).nullable();

const queryChange = z.strictObject({
  query: z.string(),
  ndcg: z.strictObject({ now: share, before: share }),
  rank: z.strictObject({ now: rank, before: rank }),
});
export type QueryChange = Immutable<z.infer<typeof queryChange>>;

/** How many there are, and the first of them. */
function firstOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ total: z.int().min(0), items: z.array(item) });
}

/** A run, and how it differs from the one before. */
export const searchEvaluationReport = z.strictObject({
  name,
  ...evaluation,
  /** Null for the first one. */
  previous: searchEvaluation.nullable(),
  /** Queries that were in both runs; what lost or gained most comes first. */
  worse: firstOf(queryChange),
  better: firstOf(queryChange),
  /** Queries without a relevant node among their hits. */
  unfound: firstOf(z.string()),
  /** Relevant nodes that do not exist. */
  missing: firstOf(z.strictObject({ query: z.string(), uid: z.string() })),
});
export type SearchEvaluationReport = Immutable<z.infer<typeof searchEvaluationReport>>;
