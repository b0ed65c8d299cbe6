import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installedDictFolder } from '../../samples/wordnet/dictionary.ts';
import { EVERYDAY_WORDS } from '../../samples/wordnet/everyday-words.ts';
import { wordnetGoldenQueries } from '../../samples/wordnet/golden-set.ts';
import { wordnetOperations } from '../../samples/wordnet/operations.ts';
import { wordnetSearchSettings } from '../../samples/wordnet/search-settings.ts';
import { settingOperation } from '../../server/src/access/settings.ts';
import { loadWordnet } from '../../server/src/app/sample.ts';
import { openWriter } from '../../server/src/app/writer/open-writer.ts';
import { formatUid, keyedUid } from '../../server/src/base/uid.ts';
import { openGraphReader } from '../../server/src/graph/open-reader.ts';
import { LiveSearcher } from '../../server/src/search/service/live-searcher.ts';
import type { Searcher } from '../../server/src/search/service/searcher.ts';
import { SEARCH_SETTING } from '../../server/src/search/settings/search-settings.ts';
import type { Report } from '../report.ts';

const HITS = 10;
const WORDS_FIRST_MIN = 95;
const NAMED_HITS = 3;

/** The searches of the sample as a server has it: its words by their name, its synsets by words. */
export async function benchNames(report: Report): Promise<void> {
  const storage = await mkdtemp(join(tmpdir(), 'trellis-bench-'));
  try {
    await using writer = await openWriter({ storage, masterKey: null, lowMemory: false }, () => {});
    const settings = settingOperation(SEARCH_SETTING, wordnetSearchSettings);
    await writer.graph.commit({ system: true, operations: [settings] });
    await loadWordnet(writer.graph, () => {});
    using reader = openGraphReader({ storage, newestSequence: () => Infinity });
    reader.refresh();
    const searcher = new LiveSearcher(reader).current();
    reportWords(report, searcher);
    reportKnownItems(report, searcher);
  } finally {
    await rm(storage, { recursive: true, force: true });
  }
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

/** From 1; Infinity when it is not among the hits. */
function placeOf(searcher: Searcher, request: object, type: string, key: string): number {
  const uid = formatUid(keyedUid(type, key));
  const { hits } = searcher.search({ take: HITS, ...request }, undefined);
  const index = hits.findIndex(({ node }) => node.UID === uid);
  return index < 0 ? Infinity : index + 1;
}
