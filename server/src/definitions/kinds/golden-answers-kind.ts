import type { CheckedGoldenAnswers } from '@trellis/contract/shapes/golden-answers.ts';
import { checkGoldenAnswers } from '#assistant/golden/golden-check.ts';
import type { GoldenAnswers } from '#assistant/golden/golden-answers.ts';
import { inOrder } from '../definition-files.ts';
import type { Definition } from '../definition-kind.ts';
import { GoldenKind, type GoldenParsers } from './golden-kind.ts';

type GoldenSets = Pick<GoldenAnswers, 'list' | 'get' | 'put' | 'delete'>;

export class GoldenAnswersKind extends GoldenKind<CheckedGoldenAnswers> {
  constructor(sets: GoldenSets, parsers: GoldenParsers<CheckedGoldenAnswers>) {
    const form = { ...parsers, check: checkGoldenAnswers, tidy };
    super({ kind: 'golden-answers', folder: 'golden-answers' }, sets, form);
  }
}

function tidy({ description, questions }: CheckedGoldenAnswers): Definition {
  return { description, questions: questions.map(inOrder) };
}
