import { installedDictFolder } from '../../samples/wordnet/dictionary.ts';
import { EVERYDAY_WORDS } from '../../samples/wordnet/everyday-words.ts';
import { wordnetGoldenQueries } from '../../samples/wordnet/golden-set.ts';
import { wordnetOperations } from '../../samples/wordnet/operations.ts';
import type { Searcher } from '../../server/src/search/service/searcher.ts';
import { placeOf, withWordnetSearch } from '../../test/support/wordnet-search.ts';
import type { Report } from '../report.ts';

const WORDS_FIRST_MIN = 95;
const NAMED_HITS = 3;

/** The searches of the sample as a server has it: its words by their name, its synsets by words. */
export async function benchNames(report: Report): Promise<void> {
  await withWordnetSearch('whole', (searcher) => {
    reportWords(report, searcher);
    reportKnownItems(report, searcher);
  });
}

function reportWords(report: Report, searcher: Searcher): void {
  for (const [what, queryOf] of [
    ['words', (word: string) => word],
    ['words as they are typed', (word: string) => `(${word} OR ${word}*)`],
  ] as const) {
    const places = EVERYDAY_WORDS.map((word) =>
      placeOf(searcher, { query: queryOf(word) }, 'Word', word),
    );
    const first = places.filter((place) => place === 1).length;
    const among = places.filter((place) => place <= NAMED_HITS).length;
    report.add({
      what: `search, the sample: ${places.length} everyday ${what}, found first by their name`,
      ours: `${first} first, ${among} among ${NAMED_HITS}`,
      others: [],
      ratio: (first / places.length).toFixed(2),
      target: `at least ${WORDS_FIRST_MIN} first, all among ${NAMED_HITS}`,
      reached: first >= WORDS_FIRST_MIN && among === places.length,
    });
  }
}

function reportKnownItems(report: Report, searcher: Searcher): void {
  const { synsets } = wordnetOperations(installedDictFolder());
  const places = wordnetGoldenQueries(synsets).map(({ query, synset }) =>
    placeOf(searcher, { query, types: ['Synset'] }, 'Synset', synset),
  );
  const rank = places.reduce((sum, place) => sum + 1 / place, 0) / places.length;
  report.add({
    what: `search, the sample: ${places.length} synsets by words of their definitions, mean reciprocal rank`,
    ours: rank.toFixed(4),
    others: [],
    ratio: rank.toFixed(2),
    target: 'at least 0.87',
    reached: rank >= 0.87,
  });
}
