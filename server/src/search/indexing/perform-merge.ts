import { mergeSegments } from '../text/merge-segments.ts';
import { Segment } from '../text/segment.ts';
import type { MergeTask } from '../text/text-index.ts';

/** The one segment of a task; in any thread. */
export function performMerge({ parts }: MergeTask): SharedArrayBuffer {
  return mergeSegments(
    parts.map(({ memory, tombstones }) => ({ segment: new Segment(memory), tombstones })),
  );
}
