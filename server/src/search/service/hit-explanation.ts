import { explainHit } from '../text/explain-hit.ts';
import type { IndexView } from '../text/index-view.ts';
import type { PlannedText } from '../settings/index-plan.ts';
import type { SideScore } from './fusion.ts';
import type { FoundHit } from './text-run.ts';

/** The same shape as that of `@trellis/endpoint`. */
export interface HitExplanation {
  readonly score: number;
  readonly parts: readonly ExplainedPart[];
  readonly decay?: number;
  /** What the two sides of a hybrid search give: the score is their sum. */
  readonly text?: SideScore;
  readonly vector?: SideScore & {
    readonly field: string;
    readonly model: string;
    readonly similarity: number;
  };
}

interface ExplainedPart {
  readonly field: string;
  readonly term: string;
  readonly word: string;
  readonly origin: 'word' | 'typo' | 'prefix' | 'synonym';
  readonly score: number;
}

/** What words gave to the score of a hit. `texts` are the fields of its type that the searcher may see. */
export function explanationOf(
  view: IndexView,
  { hit, resolved: { query, origins }, options }: FoundHit,
  texts: readonly PlannedText[],
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
