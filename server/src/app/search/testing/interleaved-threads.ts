import type { StateReader } from '#graph/state-reader.ts';
import { buildSegments, type BuildTask } from '#search/indexing/build-segments.ts';
import type { SegmentThreads } from '#search/indexing/rebuild.ts';
import { TEXT_INDEX_LIMITS } from '#search/text/text-index.ts';
import { Analyzers } from '#search/analysis/language-analyzer.ts';

interface InterleavedParts {
  readonly reader: StateReader;
  readonly note: (text: string) => void;
  /** After so many tasks, every further one ends as if its thread had. */
  readonly tasksMax: number;
}

/**
 * What `BuildThreads` is, in turns of this thread: tasks and segments so small that each rebuild is
 * made of several, between which commits come.
 */
export function interleavedThreads({ reader, note, tasksMax }: InterleavedParts): SegmentThreads {
  const analyzers = new Analyzers(64);
  let tasks = 0;
  const build: SegmentThreads['build'] = async (task: BuildTask, onBuilt, signal) => {
    const limits = { ...TEXT_INDEX_LIMITS, waitingDocumentsMax: 2 };
    const hasFailed = ++tasks > tasksMax;
    for await (const segment of buildSegments(task, { reader, analyzers, limits }, signal)) {
      // As it comes out of a message.
      onBuilt(structuredClone(segment));
      if (hasFailed) throw new Error('the thread has ended');
    }
  };
  const sizes = { count: 3, nodesMin: 1, taskNodesMin: 1, taskNodesMax: 3 };
  return { ...sizes, memoryBytesMax: Infinity, build, rest: () => {}, note };
}
