import { setImmediate } from 'node:timers';
import { workerData } from 'node:worker_threads';
import { garbageCollector } from '#runtime/sandbox/garbage-collector.ts';
import { performMerge } from '#search/text/merge-segments.ts';
import { indexFolder } from '#search/text/segment-codec.ts';
import { SegmentReaders } from '#search/text/segment-readers.ts';
import { lowerPriority, serve } from '../threads/thread.ts';
import type { MergeCalls, MergeThreadOptions } from './segment-threads.ts';

/** Merges segments beside the thread that indexes, which goes on meanwhile. */
const { storage }: MergeThreadOptions = workerData;
const collect = garbageCollector();
lowerPriority();

serve<object, MergeCalls>(() => ({
  merge: (task) => {
    // It may be long until the next task, and this one holds segments that nobody needs any more:
    // see `ReleasedMemory`.
    setImmediate(collect);
    using segments = new SegmentReaders(indexFolder(storage));
    return performMerge(task, segments.open);
  },
}));
