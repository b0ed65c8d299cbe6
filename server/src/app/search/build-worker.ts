import { parentPort, workerData } from 'node:worker_threads';
import { must } from '#base/assert.ts';
import { SEARCH_INDEXING_CACHED_WORDS_MAX } from '#base/search-limits.ts';
import { openGraphReader } from '#graph/open-reader.ts';
import { Followers } from '#log/followers.ts';
import { buildSegments, type BuildPorts, type BuildTask } from '#search/indexing/build-segments.ts';
import { TEXT_INDEX_LIMITS } from '#search/indexing/text-index-limits.ts';
import { Analyzers } from '#search/analysis/language-analyzer.ts';
import { lowerPriority } from '../low-priority.ts';
import { failureOf } from '../thread-failure.ts';
import type { BuildOptions, FromBuild, ToBuild } from './build-threads.ts';

/** Makes segments beside the thread that indexes, of nodes that it reads itself, one task at a time. */
const port = must(parentPort, 'the port of a thread that builds the index');

function send(message: FromBuild): void {
  port.postMessage(message);
}

async function build(task: BuildTask, ports: BuildPorts, signal: AbortSignal): Promise<void> {
  try {
    for await (const segment of buildSegments(task, ports, signal)) {
      send({ kind: 'built', segment });
    }
    send({ kind: 'done' });
  } catch (error) {
    send({ kind: 'failed', failure: failureOf(error) });
  }
}

function main(): void {
  lowerPriority();
  const { storage, environmentKey, followers }: BuildOptions = workerData;
  const { applied } = new Followers(followers);
  const newestSequence = (): number => applied.get();
  const reader = openGraphReader({ storage, environmentKey, newestSequence });
  const analyzers = new Analyzers(SEARCH_INDEXING_CACHED_WORDS_MAX);
  const ports: BuildPorts = { reader, analyzers, limits: TEXT_INDEX_LIMITS };
  let cancelling = new AbortController();
  let building = Promise.resolve();
  const close = async (): Promise<void> => {
    await building;
    reader[Symbol.dispose]();
    port.close();
  };
  port.on('message', (message: ToBuild) => {
    if (message.kind === 'build') {
      cancelling = new AbortController();
      building = build(message.task, ports, cancelling.signal);
    } else {
      cancelling.abort(new Error('it is not to be built any more'));
      if (message.kind === 'close') void close();
    }
  });
}

main();
