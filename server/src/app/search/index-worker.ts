import { workerData } from 'node:worker_threads';
import { systemClock } from '#base/clock.ts';
import { garbageCollector } from '#runtime/sandbox/garbage-collector.ts';
import { openGraphReader } from '#graph/open-reader.ts';
import { Followers } from '#log/followers.ts';
import { runIndex } from '#search/indexing/run-index.ts';
import { TextDesk } from '#search/indexing/vectors/vector-indexer.ts';
import { openPublishedLog } from '../open-published-log.ts';
import { serve } from '../threads/thread.ts';
import type { IndexCalls, IndexNotices, IndexThreadOptions } from './index-thread.ts';
import { NoIndexFiles, StoredIndex } from './stored-index.ts';
import { NoVectorFiles, StoredVectors } from './stored-vectors.ts';
import { BuildThreads, MergeThread } from './segment-threads.ts';

/**
 * The thread that keeps the search index up with the commit log. It reads the log's files and the
 * state beside the thread that writes them.
 */
const closing = new AbortController();
const texts = new TextDesk();
const main = serve<IndexNotices, IndexCalls>(() => ({
  nextTexts: (max) => texts.ask(max, (found) => main.tell('texts', found)),
  retryRefused: () => texts.retryRefused(),
  sweep: () => texts.sweep((keys) => main.tell('unused', keys)),
  giveBack: ({ keys, as }) => texts.giveBack(keys, as),
  close: async () => {
    closing.abort(new Error('the server stops'));
    await ended;
  },
}));
const ended = index(closing.signal).catch((error: unknown) => {
  if (!closing.signal.aborted) throw error;
});
void ended.then(() => main.close());

async function index(signal: AbortSignal): Promise<void> {
  const options: IndexThreadOptions = workerData;
  const { storage, masterKey, memoryBytesMax, buildThreads, firstSegment } = options;
  const followers = new Followers(options.followers);
  const { applied } = followers;
  const { log, isEncrypted, keys } = await openPublishedLog(storage, masterKey, applied);
  const newestSequence = (): number => applied.get();
  const { environmentKey } = keys;
  using reader = openGraphReader({ storage, environmentKey, newestSequence });
  await using merges = new MergeThread({ storage });
  const note = (text: string, level: 'debug' | 'warn' = 'warn'): void =>
    main.tell('note', { level, text });
  await using threads =
    buildThreads === 1
      ? undefined
      : new BuildThreads({
          storage,
          environmentKey,
          followers: followers.buffer,
          memoryBytesMax,
          count: buildThreads,
          note,
        });
  const keeping = { storage, log, memoryBytesMax, note };
  using kept = isEncrypted ? new NoIndexFiles(keeping) : new StoredIndex(keeping);
  await runIndex(
    {
      reader,
      log,
      clock: systemClock,
      merge: (task) => merges.merge(task),
      publish: (snapshot) => main.tell('snapshot', snapshot),
      files: kept,
      collect: garbageCollector(),
      firstSegment,
      vectors: { random: Math.random },
      vectorFiles: isEncrypted
        ? new NoVectorFiles(storage)
        : new StoredVectors(storage, { log, random: Math.random, note }),
      text: followers.of('text index'),
      vector: followers.of('vector index'),
      texts,
      note,
      threads,
    },
    signal,
  );
}
