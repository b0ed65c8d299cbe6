import { SEARCH_HITS_FEW } from '../../server/src/base/search-limits.ts';
import { parseQueryText } from '../../server/src/search/text/query-text/parse-query-text.ts';
import { resolveQuery } from '../../server/src/search/text/query-text/resolve-query.ts';
import { searchText } from '../../server/src/search/text/text-search.ts';
import { seededRandom } from '../../test/support/seeded-random.ts';
import type { Report } from '../report.ts';
import { knownItems, withTypo, type KnownItem } from './queries.ts';
import type { Subjects } from './subjects.ts';

const ITEMS = 1_000;
const HITS = 10;
const MATCHES = ['all', 'any'] as const;

/**
 * Three words of one document are to find it again: the mean of one divided by its place among the
 * best ten.
 */
export function benchQuality(report: Report, subjects: Subjects): void {
  const { corpus, analyzer } = subjects;
  const items = knownItems(corpus, analyzer, { count: ITEMS, words: 3, seed: 29 });
  const random = seededRandom(31);
  const typed = items.map(({ words }) => words.map(({ surface }) => surface));
  const mistyped = typed.map((words) => {
    const wrong = Math.floor(random() * words.length);
    return words.map((word, i) => (i === wrong ? withTypo(word, random) : word));
  });
  const ours = meanPlace(items, (i) => search(subjects, typed[i] ?? []));
  const typos = meanPlace(items, (i) => search(subjects, mistyped[i] ?? []));
  const sqlite = meanPlace(items, (i) => searchSqlite(subjects, items[i]));
  report.add({
    what: `search, ${corpus.name}: ${ITEMS} documents by three words of each, mean reciprocal rank`,
    ours: ours.toFixed(4),
    others: [`SQLite FTS5 with bm25 ${sqlite.toFixed(4)}`],
    ratio: `${(ours / sqlite).toFixed(3)} of FTS5`,
    target: 'at least 1',
    reached: ours >= sqlite,
  });
  report.add({
    what: `search, ${corpus.name}: the same with a typo in one of the words`,
    ours: typos.toFixed(4),
    others: [`without typo ${ours.toFixed(4)}`],
    ratio: (typos / ours).toFixed(3),
    target: 'at least 0.9',
    reached: typos >= 0.9 * ours,
  });
}

/** As the service does: all words, and where that finds hardly anything, any of them. */
function search({ analyzer, ours }: Subjects, words: readonly string[]): number[] {
  const { view } = ours;
  const nodes = parseQueryText(words.join(' '), new Set());
  let found: number[] = [];
  for (const match of MATCHES) {
    const { query } = resolveQuery(nodes, {
      analyzers: [analyzer],
      vocabularies: view.vocabularies,
      fuzziness: 'auto',
      fieldsOf: () => [],
      match,
    });
    found = searchText(view, query, { limit: HITS }).hits.map(({ node }) => node);
    if (found.length >= SEARCH_HITS_FEW) return found;
  }
  return found;
}

function searchSqlite({ sqlite }: Subjects, item: KnownItem | undefined): number[] {
  const words = item?.words.map(({ term }) => `"${term}"`) ?? [];
  const all = sqlite.search(words.join(' AND '), HITS);
  return all.length >= SEARCH_HITS_FEW ? all : sqlite.search(words.join(' OR '), HITS);
}

function meanPlace(items: readonly KnownItem[], find: (index: number) => number[]): number {
  const ranks = items.map(({ document }, i) => {
    const place = find(i).indexOf(document);
    return place < 0 ? 0 : 1 / (place + 1);
  });
  return ranks.reduce((sum, rank) => sum + rank, 0) / ranks.length;
}
