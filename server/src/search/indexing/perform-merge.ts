import { openSegment } from '../text/index-view.ts';
import { mergeSegments } from '../text/merge-segments.ts';
import type { OpenPages } from '../text/segment-bytes.ts';
import type { MergeTask } from '../text/text-index.ts';

/** The one segment of a task; in any thread, which reads what is in files with `openPages`. */
export function performMerge({ parts }: MergeTask, openPages?: OpenPages): SharedArrayBuffer {
  return mergeSegments(
    parts.map((part) => ({
      segment: openSegment(part, openPages),
      tombstones: part.tombstones,
    })),
  );
}
