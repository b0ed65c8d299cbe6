import { FacetCounts } from '../../server/src/search/text/match-collectors.ts';
import { NodeSet } from '../../server/src/search/text/document-filter.ts';
import { parseQueryText } from '../../server/src/search/text/query-text/parse-query-text.ts';
import { resolveQuery } from '../../server/src/search/text/query-text/resolve-query.ts';
import type { TextQuery } from '../../server/src/search/text/text-query.ts';
import { searchText, type TextSearchOptions } from '../../server/src/search/text/text-search.ts';
import { seededRandom } from '../../test/support/seeded-random.ts';
import { compareLatency, latencyOf, type Latency } from '../measure.ts';
import { lexeme, type PostgresText } from '../peers/postgres-text.ts';
import type { Report } from '../report.ts';
import { allOf, anyOf, LEX_FILE_COLUMN, phraseOf, POS_COLUMN } from './our-index.ts';
import { knownItems, phrases } from './queries.ts';
import type { Subjects } from './subjects.ts';

const HITS = 10;
const QUERIES = 200;
const ROUNDS = 3;
const WARM_UP_ROUNDS = 3;
const CHECKED = 50;
const ALLOWED_NODES = 20_000;
const PREFIX_LETTERS = 4;

type Call = (index: number) => unknown;

/** One kind of query, as each of the subjects is asked it. */
interface Asked {
  readonly what: string;
  /** The most of the time of FTS5. */
  readonly target: number;
  readonly ours: readonly TextQuery[] | ((index: number) => TextQuery);
  /** In the syntax of FTS5. */
  readonly sqlite: readonly string[];
  readonly miniSearch: Call | undefined;
  /** As `tsquery`. */
  readonly postgres: readonly string[];
}

/** The time of searches, ours and the peers'; `targets` are those of all words and of any word. */
export function benchLatency(
  report: Report,
  subjects: Subjects,
  targets: { readonly all: number; readonly any: number },
): void {
  const { corpus, analyzer, miniSearch } = subjects;
  const pairs = knownItems(corpus, analyzer, { count: QUERIES, words: 2, seed: 11 });
  const triples = knownItems(corpus, analyzer, { count: QUERIES, words: 3, seed: 13 });
  const asked = (joiner: 'AND' | 'OR', items: typeof pairs) => {
    const terms = items.map(({ words }) => words.map(({ term }) => term));
    return {
      sqlite: terms.map((list) => list.map(quoted).join(` ${joiner} `)),
      postgres: terms.map((list) => list.map(lexeme).join(joiner === 'AND' ? ' & ' : ' | ')),
      miniSearch: miniSearch && ((i: number) => miniSearch.search(terms[i] ?? [], joiner, HITS)),
    };
  };
  const all = {
    what: 'two words, all of them',
    target: targets.all,
    ours: pairs.map(({ words }) => allOf(words)),
    ...asked('AND', pairs),
  };
  const any = {
    what: 'three words, any of them',
    target: targets.any,
    ours: triples.map(({ words }) => anyOf(words)),
    ...asked('OR', triples),
  };
  checkCounts(subjects, all);
  checkCounts(subjects, any);
  warmUp(subjects, [all, any]);
  benchAsked(report, subjects, all);
  benchAsked(report, subjects, any);
  benchAsked(report, subjects, prefixes(subjects));
  benchAsked(report, subjects, phraseQueries(subjects));
  benchAllowList(report, subjects, all);
  benchAllowList(report, subjects, any);
  benchFacets(report, subjects, all);
  benchFacets(report, subjects, any);
}

/**
 * What is measured is a server that runs for a while: compiled code, and its memory in the caches.
 */
function warmUp(subjects: Subjects, kinds: readonly Asked[]): void {
  for (let round = 0; round < WARM_UP_ROUNDS; round++) {
    for (const asked of kinds) {
      for (let i = 0; i < QUERIES; i++) {
        searcher(subjects, asked, {})(i);
        subjects.sqlite.search(asked.sqlite[i] ?? '', HITS);
      }
    }
  }
}

function prefixes({ corpus, analyzer, ours, miniSearch }: Subjects): Asked {
  const words = knownItems(corpus, analyzer, { count: QUERIES, words: 1, seed: 17 }).map(
    (item) => item.words[0]?.surface.slice(0, PREFIX_LETTERS) ?? '',
  );
  const { vocabularies } = ours.view;
  const options = { analyzers: [analyzer], vocabularies, fuzziness: 0, match: 'all' } as const;
  const resolved = (prefix: string): TextQuery =>
    resolveQuery(parseQueryText(`${prefix}*`, new Set()), { ...options, fieldsOf: () => [] }).query;
  return {
    what: `words that begin with ${PREFIX_LETTERS} letters, found in the vocabulary`,
    target: 1,
    ours: (i) => resolved(words[i] ?? ''),
    sqlite: words.map((word) => `${quoted(word)} *`),
    postgres: words.map((word) => `${lexeme(word)}:*`),
    miniSearch: miniSearch && ((i: number) => miniSearch.complete(words[i] ?? '', HITS)),
  };
}

function phraseQueries({ corpus, analyzer }: Subjects): Asked {
  const asked = phrases(corpus, analyzer, QUERIES);
  return {
    what: 'phrases of two words',
    target: 1,
    ours: asked.map(({ words }) => phraseOf(words)),
    sqlite: asked.map(({ words }) => quoted(words.map(({ term }) => term).join(' '))),
    miniSearch: undefined,
    postgres: asked.map(({ words }) => words.map(({ term }) => lexeme(term)).join(' <-> ')),
  };
}

/** All are asked the same: all matches of the first queries are counted. */
function checkCounts({ ours, sqlite, postgres }: Subjects, asked: Asked): void {
  const postgresCounts = postgres?.counts(asked.postgres.slice(0, CHECKED));
  for (let i = 0; i < CHECKED; i++) {
    const { total } = searchText(ours.view, queryOf(asked, i), { limit: 0, isCounted: true });
    const counts = [sqlite.count(asked.sqlite[i] ?? ''), postgresCounts?.[i] ?? total];
    if (counts.some((count) => count !== total)) {
      throw new Error(`${asked.what}, query ${i}: ${total} documents, the others find ${counts}`);
    }
  }
}

function benchAsked(report: Report, subjects: Subjects, asked: Asked): void {
  const { corpus, sqlite, postgres } = subjects;
  const { ours, fts5 } = compared({
    ours: searcher(subjects, asked, {}),
    fts5: (i) => sqlite.search(asked.sqlite[i] ?? '', HITS),
  });
  const { miniSearch } = asked;
  const mini = miniSearch && compared({ mini: miniSearch }).mini;
  const ratio = ours.p50 / fts5.p50;
  report.add({
    what: `search, ${corpus.name}: ${asked.what}, the best ${HITS}, p50 (p99)`,
    ours: shown(ours),
    others: [
      `SQLite FTS5 ${shown(fts5)}`,
      ...(mini === undefined ? [] : [`MiniSearch ${shown(mini)}`]),
      ...(postgres === undefined
        ? []
        : [`PostgreSQL by psql ${shown(postgresLatency(postgres, asked))}`]),
    ],
    ratio: `${ratio.toFixed(3)} of FTS5's time`,
    target: `at most ${asked.target}`,
    reached: ratio <= asked.target,
  });
}

function postgresLatency(postgres: PostgresText, asked: Asked): Latency {
  return latencyOf(postgres.searchTimes(asked.postgres, HITS, ROUNDS));
}

function benchAllowList(report: Report, subjects: Subjects, asked: Asked): void {
  const { corpus, sqlite } = subjects;
  const random = seededRandom(19);
  const picked = new Set<number>();
  while (picked.size < ALLOWED_NODES) picked.add(Math.floor(random() * corpus.size));
  const nodes = [...picked].toSorted((a, b) => a - b);
  sqlite.allow(nodes);
  const allowed = new NodeSet(Float64Array.from(nodes));
  const { ours, none, fts5 } = compared({
    ours: searcher(subjects, asked, { filter: { allowed } }),
    none: searcher(subjects, asked, {}),
    fts5: (i) => sqlite.searchAllowed(asked.sqlite[i] ?? '', HITS),
  });
  report.add({
    what: `search, ${corpus.name}: ${asked.what}, among ${ALLOWED_NODES} nodes, p50 (p99)`,
    ours: shown(ours),
    others: [`among all ${shown(none)}`, `SQLite FTS5 ${shown(fts5)}`],
    ...ratioTo(ours, none, 1.3),
  });
}

/**
 * Against the same query with its matches counted, as every answer of the service has their number.
 */
function benchFacets(report: Report, subjects: Subjects, asked: Asked): void {
  const facets = (index: number): unknown => {
    const collectors = [new FacetCounts(POS_COLUMN), new FacetCounts(LEX_FILE_COLUMN)];
    searcher(subjects, asked, { isCounted: true, collectors })(index);
    return collectors.map((collector) => collector.counts());
  };
  const { ours, counted, plain } = compared({
    ours: facets,
    counted: searcher(subjects, asked, { isCounted: true }),
    plain: searcher(subjects, asked, {}),
  });
  report.add({
    what: `search, ${subjects.corpus.name}: ${asked.what}, counted by two facets, p50 (p99)`,
    ours: shown(ours),
    others: [`counted ${shown(counted)}`, `neither ${shown(plain)}`],
    ...ratioTo(ours, counted, 1.5),
  });
}

function ratioTo(ours: Latency, other: Latency, most: number) {
  const ratio = ours.p50 / other.p50;
  return { ratio: ratio.toFixed(2), target: `at most ${most}`, reached: ratio <= most };
}

function searcher(
  { ours }: Subjects,
  asked: Asked,
  options: Omit<TextSearchOptions, 'limit'>,
): (index: number) => unknown {
  return (i) => searchText(ours.view, queryOf(asked, i), { limit: HITS, ...options });
}

function queryOf({ ours }: Asked, index: number): TextQuery {
  const query = typeof ours === 'function' ? ours(index) : ours[index];
  if (query === undefined) throw new Error(`no query ${index}`);
  return query;
}

function compared<Name extends string>(calls: Record<Name, Call>): Record<Name, Latency> {
  return compareLatency(calls, QUERIES, ROUNDS) as Record<Name, Latency>;
}

function quoted(text: string): string {
  return `"${text}"`;
}

function shown({ p50, p99 }: Latency): string {
  return `${p50.toFixed(0)} us (${p99.toFixed(0)} us)`;
}
