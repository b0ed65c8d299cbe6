import { explainHit } from '../text/explain-hit.ts';
import type { IndexView } from '../text/index-view.ts';
import type { PlannedText } from '../settings/index-plan.ts';
import type { ResolvedQuery } from '../text/query-text/resolve-query.ts';
import type { TextHit, TextSearchOptions } from '../text/text-search.ts';

/** The same shape as that of `@trellis/endpoint`. */
export interface HitExplanation {
  readonly score: number;
  readonly parts: readonly ExplainedPart[];
  readonly decay?: number;
}

interface ExplainedPart {
  readonly field: string;
  readonly term: string;
  readonly word: string;
  readonly origin: 'word' | 'typo' | 'prefix' | 'synonym';
  readonly score: number;
}

/** What the score of a hit is made of. `texts` are the fields of its type that the searcher may see. */
export function explanationOf(
  view: IndexView,
  hit: TextHit,
  { query, origins }: ResolvedQuery,
  texts: readonly PlannedText[],
  options: TextSearchOptions,
): HitExplanation {
  const { score, decay, contributions } = explainHit(view, hit, query, options);
  const names = new Map(texts.map(({ field, name }) => [field, name]));
  return {
    score,
    parts: contributions.map(({ field, term, weight, contribution }) => {
      const known = origins.get(term) ?? [];
      const origin = known.find((one) => one.weight === weight) ?? known[0];
      return {
        field: names.get(field) ?? '',
        term,
        word: origin?.asked ?? term,
        origin: origin?.kind ?? 'word',
        score: contribution,
      };
    }),
    ...(options.decay === undefined ? {} : { decay }),
  };
}
