import { parentPort, workerData } from 'node:worker_threads';
import { IndexView, type SharedView } from '../../server/src/search/text/index-view.ts';
import type { TextQuery } from '../../server/src/search/text/text-query.ts';
import { searchText } from '../../server/src/search/text/text-search.ts';

/**
 * A thread that searches: opens the view, tells so, and for each number of milliseconds it is sent
 * answers with how many queries.
 */
const { view, queries }: { view: SharedView; queries: readonly TextQuery[] } = workerData;
const opened = IndexView.open(view);
const port = parentPort;
if (port === null) throw new Error('not a worker thread');

port.on('message', (ms: number) => {
  const until = performance.now() + ms;
  let count = 0;
  while (performance.now() < until) {
    const query = queries[count++ % queries.length];
    if (query !== undefined) searchText(opened, query, { limit: 10 });
  }
  port.postMessage(count);
});
port.postMessage(0);
