import type { CheckedGoldenSet } from '@trellis/contract/shapes/search-evaluation.ts';
import { checkGoldenSet } from '#search/evaluation/evaluate.ts';
import type { GoldenSetService } from '#search/evaluation/golden-set-service.ts';
import { inOrder } from '../definition-files.ts';
import type { Definition } from '../definition-kind.ts';
import { GoldenKind, type GoldenParsers } from './golden-kind.ts';

type GoldenSets = Pick<GoldenSetService, 'list' | 'get' | 'put' | 'delete'>;

export class GoldenSetKind extends GoldenKind<CheckedGoldenSet> {
  constructor(sets: GoldenSets, parsers: GoldenParsers<CheckedGoldenSet>) {
    const form = { ...parsers, check: checkGoldenSet, tidy };
    super({ kind: 'golden-set', folder: 'golden-sets' }, sets, form);
  }
}

function tidy({ description, request, queries }: CheckedGoldenSet): Definition {
  return {
    description,
    request: inOrder(request),
    queries: queries.map(({ query, relevant }) => ({ query, relevant: relevant.map(inOrder) })),
  };
}
