import { setImmediate } from 'node:timers';
import { parentPort, workerData } from 'node:worker_threads';
import { must } from '#base/assert.ts';
import { garbageCollector } from '#runtime/sandbox/garbage-collector.ts';
import { performMerge } from '#search/indexing/perform-merge.ts';
import { indexFolder } from '#search/text/index-manifest.ts';
import { SegmentReaders } from '#search/text/segment-readers.ts';
import type { MergeTask } from '#search/text/text-index.ts';
import { failureOf } from '../thread-failure.ts';
import type { FromMerge, MergeOptions } from './merge-thread.ts';

/** Merges segments beside the thread that indexes, which goes on meanwhile. */
const port = must(parentPort, 'the port of the merge thread');
const { storage }: MergeOptions = workerData;
const collect = garbageCollector();

port.on('message', ({ id, task }: { readonly id: number; readonly task: MergeTask }) => {
  try {
    using segments = new SegmentReaders(indexFolder(storage));
    const memory = performMerge(task, segments.open);
    port.postMessage({ kind: 'done', id, memory } satisfies FromMerge);
  } catch (error) {
    port.postMessage({ kind: 'failed', id, failure: failureOf(error) } satisfies FromMerge);
  }
  // It may be long until the next task, and this one holds segments that nobody needs any more: see `ReleasedMemory`.
  setImmediate(collect);
});
