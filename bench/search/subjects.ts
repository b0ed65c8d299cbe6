import type { Analyzer } from '../../server/src/search/analysis/analyzer.ts';
import { MiniSearchText } from '../peers/minisearch.ts';
import { installedPostgres, PostgresText } from '../peers/postgres-text.ts';
import { SqliteText, type AnalysedText } from '../peers/sqlite-text.ts';
import { timed } from '../measure.ts';
import type { Report } from '../report.ts';
import { timeBuilds, type BuildTimes } from './build.ts';
import { timeOver, type BenchDocument, type Corpus } from './corpus.ts';
import { buildOurs, NAMES_BOOST, type BuiltIndex } from './our-index.ts';

/** A corpus in each of the indexes that are compared. */
export interface Subjects extends Disposable {
  readonly corpus: Corpus;
  readonly analyzer: Analyzer;
  readonly ours: BuiltIndex;
  readonly sqlite: SqliteText;
  readonly miniSearch: MiniSearchText | undefined;
  readonly postgres: PostgresText | undefined;
}

const DOCUMENTS_PER_SECOND_MIN = 50_000;

export async function buildSubjects(
  report: Report,
  corpus: Corpus,
  analyzer: Analyzer,
  isSmall: boolean,
): Promise<Subjects> {
  const times = await timeBuilds(corpus);
  const ours = buildOurs(corpus, analyzer);
  const sqlite = new SqliteText(NAMES_BOOST);
  const miniSearch = isSmall ? new MiniSearchText(NAMES_BOOST) : undefined;
  let sqliteSeconds = timeOver(corpus, (document, i) =>
    sqlite.add(i, analysed(document, analyzer)),
  );
  sqliteSeconds += (await timed(() => sqlite.finish())).seconds;
  const others = [
    `with threads that have just started ${rate(corpus, times.several.first)} documents/s`,
    `one thread ${rate(corpus, times.one.best)} documents/s, just started ${rate(corpus, times.one.first)}`,
    `in this thread and process, without the graph, ${rate(corpus, ours.buildSeconds)} documents/s, merges ${mergeRate(ours)}`,
    `SQLite FTS5 ${rate(corpus, sqliteSeconds)} documents/s`,
  ];
  if (miniSearch !== undefined) {
    const seconds = timeOver(corpus, (document, i) =>
      miniSearch.add(i, analysed(document, analyzer)),
    );
    others.push(`MiniSearch ${rate(corpus, seconds)} documents/s`);
  }
  const bin = isSmall ? installedPostgres() : undefined;
  const postgres = bin === undefined ? undefined : new PostgresText(bin, NAMES_BOOST);
  if (postgres !== undefined) {
    let seconds = timeOver(corpus, (document, i) => postgres.add(i, analysed(document, analyzer)));
    seconds += (await timed(() => postgres.finish())).seconds;
    others.push(`PostgreSQL ${rate(corpus, seconds)} documents/s`);
  } else if (isSmall) {
    others.push('PostgreSQL not on this machine');
  }
  const { best } = times.several;
  const documentsPerSecond = rate(corpus, best);
  report.add({
    what: `search, ${corpus.name}: build ${corpus.size} documents of a graph with analysis, ${threadsOf(times)}`,
    ours: `${documentsPerSecond} documents/s`,
    others,
    ratio: `${(times.one.best / best).toFixed(2)} of one thread, ${(sqliteSeconds / best).toFixed(2)} of FTS5`,
    target: `${DOCUMENTS_PER_SECOND_MIN} documents/s`,
    reached: documentsPerSecond >= DOCUMENTS_PER_SECOND_MIN,
  });
  addSize(report, corpus, ours, sqlite);
  return {
    corpus,
    analyzer,
    ours,
    sqlite,
    miniSearch,
    postgres,
    [Symbol.dispose]: () => {
      sqlite.close();
      postgres?.[Symbol.dispose]();
    },
  };
}

function addSize(report: Report, corpus: Corpus, ours: BuiltIndex, sqlite: SqliteText): void {
  const bytesOf = (bytes: number): string => `${Math.round(bytes / corpus.size)} bytes a document`;
  report.add({
    what: `search, ${corpus.name}: size of the index`,
    ours: `${bytesOf(ours.bytes)}, with vocabulary and facets`,
    others: [`SQLite FTS5 ${bytesOf(sqlite.bytes)}, without`],
    ratio: `${(ours.bytes / sqlite.bytes).toFixed(2)} of FTS5`,
    target: 'at most 2',
    reached: ours.bytes <= 2 * sqlite.bytes,
  });
}

function analysed({ names, gloss }: BenchDocument, analyzer: Analyzer): AnalysedText {
  const terms = (text: string): string =>
    analyzer
      .analyze(text)
      .map(({ term }) => term)
      .join(' ');
  return { names: terms(names), gloss: terms(gloss) };
}

function rate({ size }: Corpus, seconds: number): number {
  return Math.round(size / seconds);
}

function threadsOf({ threads }: BuildTimes): string {
  return threads === 1 ? 'one thread' : `${threads} threads, as a server here has`;
}

function mergeRate({ mergedPostings, mergeSeconds }: BuiltIndex): string {
  if (mergeSeconds === 0) return 'none';
  return `${(mergedPostings / mergeSeconds / 1e6).toFixed(1)} M postings/s`;
}
