import { workerData } from 'node:worker_threads';
import { SEARCH_INDEXING_CACHED_WORDS_MAX } from '#base/search-limits.ts';
import { openGraphReader } from '#graph/open-reader.ts';
import { Followers } from '#log/followers.ts';
import { buildSegments, type BuildPorts } from '#search/indexing/build-segments.ts';
import { TEXT_INDEX_LIMITS } from '#search/text/text-index.ts';
import { Analyzers } from '#search/analysis/language-analyzer.ts';
import { lowerPriority, serve } from '../threads/thread.ts';
import type { BuildCalls, BuildThreadOptions } from './segment-threads.ts';

/**
 * Makes segments beside the thread that indexes, of nodes that it reads itself, one task at a time.
 */
serve<object, BuildCalls>((starter) => {
  lowerPriority();
  const { storage, environmentKey, followers }: BuildThreadOptions = workerData;
  const { applied } = new Followers(followers);
  const newestSequence = (): number => applied.get();
  const reader = openGraphReader({ storage, environmentKey, newestSequence });
  const analyzers = new Analyzers(SEARCH_INDEXING_CACHED_WORDS_MAX);
  const ports: BuildPorts = { reader, analyzers, limits: TEXT_INDEX_LIMITS };
  const closing = new AbortController();
  let building = Promise.resolve();
  return {
    build: (task, { signal, progress }) => {
      const ending = AbortSignal.any([signal, closing.signal]);
      const work = async (): Promise<void> => {
        for await (const segment of buildSegments(task, ports, ending)) progress(segment);
      };
      const built = work();
      building = built.catch(() => undefined);
      return built;
    },
    close: async () => {
      closing.abort(new Error('it is not to be built any more'));
      await building;
      reader[Symbol.dispose]();
      starter.close();
    },
  };
});
