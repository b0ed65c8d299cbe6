import type { Token } from '../../analysis/analyzer.ts';
import type { Alternative, PhraseAlternative } from '../text-query.ts';

/** Tokens in the order and at the distances that they have in a text; the last may be any of several terms. */
export function phraseOf(
  tokens: readonly Token[],
  weight: number,
  lastTerms?: readonly string[],
): PhraseAlternative {
  const first = tokens[0]!.position;
  const words = tokens.map(({ term, position }, i) => ({
    offset: position - first,
    terms: i === tokens.length - 1 && lastTerms !== undefined ? lastTerms : [term],
  }));
  return { kind: 'phrase', words, weight };
}

/** Alternatives without repetition: what is added first stays, so that what was asked keeps its weight. */
export class Alternatives {
  readonly #byKey = new Map<string, Alternative>();

  add(alternative: Alternative): void {
    const key = alternative.kind === 'term' ? alternative.term : JSON.stringify(alternative.words);
    if (!this.#byKey.has(key)) this.#byKey.set(key, alternative);
  }

  get list(): Alternative[] {
    return [...this.#byKey.values()];
  }
}
