import type { Synset } from './dictionary.ts';
import { splitGloss } from './operations.ts';

/** A query, and the key of the one synset that it should find. */
export interface GoldenQuery {
  readonly query: string;
  readonly synset: string;
}

const QUERIES = 500;
/**
 * With more words hardly any search fails, and with fewer many synsets fit: either way a change of
 * search would not show.
 */
const WORDS = 3;
const LETTERS_MIN = 4;

/** Words of four letters and more that say nothing about what is defined. */
const FUNCTION_WORDS = new Set(
  (
    'about above after along also although among another because been before being below between both cannot could does doing ' +
    'down during each either especially etcetera even from further having here into itself less made many more most much often ' +
    'only other over same several should some such than that their them then there these they this those through toward under ' +
    'until upon used usually very were what when where whether which while with within without would your'
  ).split(' '),
);

/**
 * Queries whose answers are known: the first content words of a definition, without the words that
 * are defined, should find their synset. The synsets are those with the smallest hashes of their
 * keys: spread over the whole dictionary, and always the same.
 */
export function wordnetGoldenQueries(synsets: readonly Synset[]): GoldenQuery[] {
  const queries = new Map<string, string>();
  for (const synset of synsets.toSorted((a, b) => hashOf(a.key) - hashOf(b.key))) {
    if (queries.size === QUERIES) break;
    const words = contentWords(synset);
    const query = words.join(' ');
    if (words.length === WORDS && !queries.has(query)) queries.set(query, synset.key);
  }
  return [...queries].map(([query, synset]) => ({ query, synset }));
}

function contentWords({ gloss, lemmas }: Synset): string[] {
  const { definition } = splitGloss(gloss);
  const defined = new Set(lemmas.flatMap((lemma) => lemma.toLowerCase().split(/[^a-z]+/)));
  const words = definition.toLowerCase().match(/[a-z]+/g) ?? [];
  const content = words.filter(
    (word) => word.length >= LETTERS_MIN && !FUNCTION_WORDS.has(word) && !defined.has(word),
  );
  return [...new Set(content)].slice(0, WORDS);
}

/** FNV-1a, 32 bits (Fowler, Noll, Vo; RFC 9923). */
function hashOf(text: string): number {
  let hash = 0x811c_9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x0100_0193);
  return hash >>> 0;
}
