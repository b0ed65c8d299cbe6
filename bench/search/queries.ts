import { seededRandom } from '../../test/support/seeded-random.ts';
import type { Analyzer, Token } from '../../server/src/search/analysis/analyzer.ts';
import type { Corpus } from './corpus.ts';

/** Words of one document, so that they stand together somewhere as those of people do. */
export interface KnownItem {
  readonly document: number;
  readonly words: readonly Token[];
}

export interface PhraseQuery {
  readonly words: readonly Token[];
}

const WORD_LETTERS_MIN = 3;

/**
 * As many different words of a document as asked for, none of them a stop word; the same queries in
 * every run.
 */
export function knownItems(
  corpus: Corpus,
  analyzer: Analyzer,
  { count, words, seed }: { readonly count: number; readonly words: number; readonly seed: number },
): KnownItem[] {
  const random = seededRandom(seed);
  const items: KnownItem[] = [];
  while (items.length < count) {
    const document = Math.floor(random() * corpus.size);
    const telling = new Map(tellingTokens(corpus, analyzer, document).map((t) => [t.term, t]));
    const left = [...telling.values()];
    if (left.length < words) continue;
    const chosen = Array.from({ length: words }, () =>
      left.splice(Math.floor(random() * left.length), 1),
    );
    items.push({ document, words: chosen.flat() });
  }
  return items;
}

/** Two words that follow each other in the gloss of a document. */
export function phrases(corpus: Corpus, analyzer: Analyzer, count: number): PhraseQuery[] {
  const random = seededRandom(23);
  const found: PhraseQuery[] = [];
  while (found.length < count) {
    const { gloss } = corpus.document(Math.floor(random() * corpus.size));
    const tokens = analyzer.analyze(gloss);
    const at = Math.floor(random() * (tokens.length - 1));
    const words = tokens.slice(at, at + 2);
    if (words.length === 2 && words.every((token) => isTelling(analyzer, token))) {
      found.push({ words });
    }
  }
  return found;
}

/**
 * A letter of the word left out, doubled, changed, or put in the place of its neighbour; never the
 * first one.
 */
export function withTypo(word: string, random: () => number): string {
  const at = 1 + Math.floor(random() * (word.length - 1));
  const letter = word.charAt(at);
  const other = String.fromCharCode(97 + ((letter.charCodeAt(0) + 7) % 26));
  const kind = Math.floor(random() * 4);
  if (kind === 0) return word.slice(0, at) + word.slice(at + 1);
  if (kind === 1) return word.slice(0, at) + letter + word.slice(at);
  if (kind === 2 && at + 1 < word.length) {
    return word.slice(0, at) + word.charAt(at + 1) + letter + word.slice(at + 2);
  }
  return word.slice(0, at) + other + word.slice(at + 1);
}

function tellingTokens(corpus: Corpus, analyzer: Analyzer, document: number): Token[] {
  const { names, gloss } = corpus.document(document);
  return [...analyzer.analyze(names), ...analyzer.analyze(gloss)].filter((token) =>
    isTelling(analyzer, token),
  );
}

function isTelling(analyzer: Analyzer, { surface }: Token): boolean {
  return (
    surface.length >= WORD_LETTERS_MIN && /^\p{L}+$/u.test(surface) && !analyzer.isStopWord(surface)
  );
}
