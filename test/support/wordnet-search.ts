import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installedDictFolder } from '../../samples/wordnet/dictionary.ts';
import { EVERYDAY_WORDS } from '../../samples/wordnet/everyday-words.ts';
import { wordnetOperations, type WordnetOperation } from '../../samples/wordnet/operations.ts';
import { wordnetSchema } from '../../samples/wordnet/schema.ts';
import { wordnetSearchSettings } from '../../samples/wordnet/search-settings.ts';
import { settingOperation } from '../../server/src/access/settings.ts';
import { loadWordnet } from '../../server/src/app/sample.ts';
import { openWriter } from '../../server/src/app/writer/open-writer.ts';
import { formatUid, keyedUid } from '../../server/src/base/uid.ts';
import { openGraphReader } from '../../server/src/graph/open-reader.ts';
import { LiveSearcher } from '../../server/src/search/service/live-searcher.ts';
import type { Searcher } from '../../server/src/search/service/searcher.ts';
import { SEARCH_SETTING } from '../../server/src/search/settings/search-settings.ts';

const HITS = 10;

/** Runs with a searcher of the sample as a server has it, or of the part about everyday words. */
export async function withWordnetSearch(
  size: 'whole' | 'everyday',
  run: (searcher: Searcher) => void,
): Promise<void> {
  const storage = await mkdtemp(join(tmpdir(), 'trellis-wordnet-'));
  try {
    await using writer = await openWriter({ storage, masterKey: null, lowMemory: false }, () => {});
    const { graph } = writer;
    const settings = settingOperation(SEARCH_SETTING, wordnetSearchSettings);
    await graph.commit({ system: true, operations: [settings] });
    if (size === 'whole') await loadWordnet(graph, () => {});
    else {
      await graph.commit({ operations: [], schema: wordnetSchema });
      await graph.ingest(everydayOperations(), { firstIndex: 0, author: {} });
    }
    using reader = openGraphReader({ storage, newestSequence: () => Infinity });
    reader.refresh();
    run(new LiveSearcher(reader).current());
  } finally {
    await rm(storage, { recursive: true, force: true });
  }
}

/** Words with an everyday one in them, what they mean, and the edges between these. */
function everydayOperations(): WordnetOperation[] {
  const everyday = new RegExp(`(?<!\\p{L})(?:${EVERYDAY_WORDS.join('|')})(?!\\p{L})`, 'u');
  const { synsets, ...all } = wordnetOperations(installedDictFolder());
  const chosen = synsets.filter(({ lemmas }) => lemmas.some((lemma) => everyday.test(lemma)));
  const keys = new Set(chosen.flatMap(({ key, lemmas }) => [key, ...lemmas]));
  return [...all].filter((one) =>
    one.op === 'link' ? keys.has(one.from.key) && keys.has(one.to.key) : keys.has(one.key),
  );
}

/** The place of a node among the hits, from 1; Infinity when it is not there. */
export function placeOf(searcher: Searcher, request: object, type: string, key: string): number {
  const uid = formatUid(keyedUid(type, key));
  const { hits } = searcher.search({ take: HITS, ...request }, undefined);
  const index = hits.findIndex(({ node }) => node.UID === uid);
  return index < 0 ? Infinity : index + 1;
}
