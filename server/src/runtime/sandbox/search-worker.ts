import { parentPort, workerData } from 'node:worker_threads';
import { AccessIndex } from '#access/access-index.ts';
import type { Caller } from '#access/caller.ts';
import { must } from '#base/assert.ts';
import { systemClock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { openGraphReader } from '#graph/open-reader.ts';
import { Searcher } from '#search/service/searcher.ts';
import { similarToNode, type WantedSimilarNodes } from '#search/similarity/node-embeddings.ts';
import { indexFolder } from '#search/text/segment-codec.ts';
import { SegmentReaders } from '#search/text/segment-readers.ts';
import { answerSearch, visibilityOf, type WantedFind } from './graph-requests.ts';
import { readFrame } from './frame.ts';
import { garbageCollector } from './garbage-collector.ts';
import type { SearchAsk, SearchThreadSetup, ToSearchThread } from './search-thread.ts';

/**
 * The entry of a thread that searches: for the code of endpoints, none of which is here, and for
 * routes.
 */
const port = must(parentPort, 'the port of a thread that searches');
const { storage, environmentKey } = workerData as SearchThreadSetup;
const reader = openGraphReader({ storage, environmentKey });
const access = new AccessIndex(reader);
const searcher = new Searcher({
  reader,
  now: () => systemClock.now(),
  segments: new SegmentReaders(indexFolder(storage)),
  collect: garbageCollector(),
});
const sources = { reader, access, searcher };

port.on('message', (message: ToSearchThread) => {
  if (typeof message !== 'string') {
    searcher.receive(message);
    return;
  }
  reader.refresh();
  readFrame(message, (item, payload) => {
    const [, , id, operation, callerLength] = item as SearchAsk;
    const caller = JSON.parse(payload.slice(0, callerLength)) as Caller;
    const told = answer(caller, operation, payload.slice(callerLength));
    port.postMessage(`${id} ${reader.sequence} ${told}`);
  });
});
port.postMessage('ready');

function answer(caller: Caller, operation: string, payload: string): string {
  try {
    if (operation === 'find') return `+${find(caller, JSON.parse(payload) as WantedFind)}`;
    if (operation === 'similarNodes') {
      const wanted = JSON.parse(payload) as WantedSimilarNodes;
      return `+${JSON.stringify(similarToNode(sources, caller, wanted))}`;
    }
    return `+${answerSearch(sources, caller, operation, payload)}`;
  } catch (error) {
    if (error instanceof Problem) return `-${JSON.stringify(error.toMessage())}`;
    throw error;
  }
}

function find(caller: Caller, wanted: WantedFind): string {
  const visibility = wanted.asUser ? visibilityOf(access, caller) : undefined;
  if (wanted.asUser && visibility === undefined) {
    throw new Problem('invalid_request', 'asUser() needs a user, and this run has none');
  }
  return JSON.stringify(
    wanted.operation === 'findByText'
      ? searcher.findByText(wanted.wanted, visibility)
      : searcher.findSimilar(wanted.wanted, visibility),
  );
}
