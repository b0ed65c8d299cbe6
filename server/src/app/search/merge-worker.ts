import { parentPort } from 'node:worker_threads';
import { must } from '#base/assert.ts';
import { performMerge } from '#search/indexing/perform-merge.ts';
import type { MergeTask } from '#search/text/text-index.ts';
import { failureOf } from '../thread-failure.ts';
import type { FromMerge } from './merge-thread.ts';

/** Merges segments beside the thread that indexes, which goes on meanwhile. */
const port = must(parentPort, 'the port of the merge thread');

port.on('message', ({ id, task }: { readonly id: number; readonly task: MergeTask }) => {
  try {
    port.postMessage({ kind: 'done', id, memory: performMerge(task) } satisfies FromMerge);
  } catch (error) {
    port.postMessage({ kind: 'failed', id, failure: failureOf(error) } satisfies FromMerge);
  }
});
