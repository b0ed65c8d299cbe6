import type { Report } from './report.ts';
import { mixedCorpus, wordnetCorpus, type Corpus } from './search/corpus.ts';
import { benchFreshness } from './search/freshness.ts';
import { benchLatency } from './search/latency.ts';
import { benchNames } from './search/names.ts';
import { englishAnalyzer } from './search/our-index.ts';
import { benchQuality } from './search/quality.ts';
import { buildSubjects } from './search/subjects.ts';
import { benchThreads } from './search/threads.ts';

/**
 * Text search in process, beside SQLite's FTS5, MiniSearch and, where it is on the machine,
 * PostgreSQL, all of them on the same analysed words; and over a server that ingests.
 */
export async function benchSearch(report: Report): Promise<void> {
  const wordnet = wordnetCorpus();
  await benchCorpus(report, wordnet, { all: 0.3, any: 0.1 }, true);
  await benchCorpus(report, mixedCorpus(wordnet), { all: 0.2, any: 0.05 }, false);
  await benchNames(report);
  await benchFreshness(report);
}

async function benchCorpus(
  report: Report,
  corpus: Corpus,
  targets: { readonly all: number; readonly any: number },
  isSmall: boolean,
): Promise<void> {
  using subjects = await buildSubjects(report, corpus, englishAnalyzer(), isSmall);
  benchLatency(report, subjects, targets);
  if (isSmall) benchQuality(report, subjects);
  await benchThreads(report, subjects);
}
