import { NOTHING_INGESTED, sumOfIngestions } from '@trellis/contract/ingest-sums.ts';
import { INGEST_COMMIT_OPERATIONS_MAX } from '@trellis/contract/limits.ts';
import { wordnetOperations, type WordnetOperation } from '../../../samples/wordnet/operations.ts';
import { EVERYDAY_WORDS } from '../../../samples/wordnet/everyday-words.ts';
import { wordnetGoldenQueries } from '../../../samples/wordnet/golden-set.ts';
import { installedDictFolder } from '../../../samples/wordnet/dictionary.ts';
import { wordnetSchema } from '../../../samples/wordnet/schema.ts';
import { formatUid, keyedUid } from '#base/uid.ts';
import type { CommitPort, CommitResult } from '#graph/operations.ts';
import type { CheckedGoldenSet } from '@trellis/contract/shapes/search-evaluation.ts';
import { goldenSetOperation } from '#search/evaluation/golden-set-store.ts';
import type { IngestSummary } from '@trellis/contract/shapes/graph-operation.ts';

/**
 * Commits that may be on their way at a time: the next is built while one is synced and one is
 * applied.
 */
const COMMITS_IN_FLIGHT_MAX = 3;

/**
 * Loads WordNet into the graph, in atomic commits of 10,000 operations; every operation is
 * idempotent.
 */
export async function loadWordnet(
  graph: CommitPort,
  onProgress: (done: number, total: number) => void,
): Promise<IngestSummary> {
  const source = wordnetOperations(installedDictFolder());
  await graph.commit({ operations: [], schema: wordnetSchema });
  const inFlight: Promise<CommitResult>[] = [];
  let summary = NOTHING_INGESTED;
  let done = 0;
  const settleOldest = async (): Promise<void> => {
    const result = await inFlight.shift();
    if (result === undefined) return;
    summary = sumOfIngestions(summary, { ...result, commits: 1 });
    onProgress(
      Math.min((done += INGEST_COMMIT_OPERATIONS_MAX), source.totals.operations),
      source.totals.operations,
    );
  };
  for (const operations of batches(source, INGEST_COMMIT_OPERATIONS_MAX)) {
    if (inFlight.length >= COMMITS_IN_FLIGHT_MAX) await settleOldest();
    inFlight.push(graph.commit({ operations }));
  }
  while (inFlight.length > 0) await settleOldest();
  const goldenSets = [
    goldenSetOperation('wordnet', wordnetGoldenSet(source.synsets), undefined),
    goldenSetOperation('wordnet-names', NAMES_SET, undefined),
  ];
  await graph.commit({ system: true, operations: goldenSets });
  return summary;
}

const NAMES_SET: CheckedGoldenSet = {
  description: 'An everyday word should find the word of that name.',
  request: {},
  queries: EVERYDAY_WORDS.map((query) => ({
    query,
    relevant: [formatUid(keyedUid('Word', query))],
  })),
};

function wordnetGoldenSet(synsets: Parameters<typeof wordnetGoldenQueries>[0]): CheckedGoldenSet {
  return {
    description: 'Words of a definition should find the synset that it defines.',
    request: { types: ['Synset'] },
    queries: wordnetGoldenQueries(synsets).map(({ query, synset }) => ({
      query,
      relevant: [formatUid(keyedUid('Synset', synset))],
    })),
  };
}

function* batches(
  operations: Iterable<WordnetOperation>,
  size: number,
): Generator<WordnetOperation[]> {
  let batch: WordnetOperation[] = [];
  for (const operation of operations) {
    batch.push(operation);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
