import { saturated, scoreOf, termCeiling } from './bm25.ts';
import type { IndexView } from './index-view.ts';
import { type PreparedGroup, type ScoredTerm, prepareQuery } from './prepared-query.ts';
import { SCORE_WITHOUT_WORDS } from './segment-search.ts';
import type { Alternative, TextQuery } from './text-query.ts';
import type { TextHit, TextSearchOptions } from './text-search.ts';

/** Why a hit has its score: the sum of the contributions times the decay. */
export interface HitExplanation {
  readonly score: number;
  readonly decay: number;
  readonly contributions: readonly FieldContribution[];
}

/**
 * What a term in one field adds to the score. Fields that the searcher may not see are left out.
 */
export interface FieldContribution {
  /** Index of the group in the query. */
  readonly group: number;
  readonly term: string;
  /** Weight of the alternative: less than 1 for a synonym or a typo. */
  readonly weight: number;
  /** Id of the field. */
  readonly field: number;
  readonly frequency: number;
  readonly idf: number;
  readonly boost: number;
  /** In tokens, as exactly as the index knows it. */
  readonly length: number;
  readonly averageLength: number;
  readonly contribution: number;
}

/** Explains a hit of a search by relevance in the same view, with the same query and options. */
export function explainHit(
  view: IndexView,
  hit: TextHit,
  query: TextQuery,
  options: Pick<TextSearchOptions, 'visibleFields' | 'decay'> = {},
): HitExplanation {
  const decay = options.decay?.(hit.timestampMs) ?? 1;
  const isWithoutWords = query.groups.every(({ occurrence }) => occurrence === 'not');
  const contributions = prepareQuery(view, query, options.visibleFields).flatMap((group, index) =>
    group.occurrence === 'not' ? [] : explainGroup(view, hit, group, index),
  );
  const sum = contributions.reduce((score, { contribution }) => score + contribution, 0);
  return { score: (isWithoutWords ? SCORE_WITHOUT_WORDS : sum) * decay, decay, contributions };
}

/** The best of the alternatives that match gave the group its score. */
function explainGroup(
  view: IndexView,
  hit: TextHit,
  group: PreparedGroup,
  index: number,
): FieldContribution[] {
  let best: Alternative | undefined;
  let bestScore = 0;
  for (const alternative of group.alternatives) {
    const cursor = group.alternativeCursor(alternative, hit.part);
    cursor?.seek(hit.document);
    if (cursor?.document !== hit.document) continue;
    const score = cursor.score();
    if (score > bestScore) {
      best = alternative;
      bestScore = score;
    }
  }
  if (best === undefined) return [];
  return group.wordCursors(best, hit.part).flatMap((terms) => explainWord(view, hit, terms, index));
}

function explainWord(
  view: IndexView,
  hit: TextHit,
  terms: readonly ScoredTerm[],
  group: number,
): FieldContribution[] {
  let best: ScoredTerm | undefined;
  let bestScore = 0;
  for (const term of terms) {
    term.cursor.seek(hit.document);
    if (term.cursor.document !== hit.document) continue;
    const score = term.cursor.score();
    if (score > bestScore) {
      best = term;
      bestScore = score;
    }
  }
  return best === undefined ? [] : explainTerm(view, hit, best, group);
}

/** Divides the score of a term among the fields by the weight of its occurrences. */
function explainTerm(
  view: IndexView,
  hit: TextHit,
  { term, idf, weight, cursor }: ScoredTerm,
  group: number,
): FieldContribution[] {
  const { documents } = view.parts[hit.part]!.segment;
  const fields: { field: number; frequency: number; share: number }[] = [];
  let sum = 0;
  cursor.forEachField((field, frequency) => {
    const share = cursor.fieldWeight(field, frequency);
    if (share > 0) fields.push({ field, frequency, share });
    sum += share;
  });
  const score = scoreOf(termCeiling(idf, weight), saturated(sum));
  return fields.map(({ field, frequency, share }) => {
    const id = documents.fields.ids[field]!;
    const { boost, averageLength } = view.field(id);
    return {
      group,
      term,
      weight,
      field: id,
      frequency,
      idf,
      boost,
      length: cursor.fieldLength(field),
      averageLength,
      contribution: (score * share) / sum,
    };
  });
}
