import {
  SEARCH_RELEASED_BYTES_MIN,
  SEARCH_RELEASED_SHARE,
  SEARCH_SEGMENT_BYTES_FLOOR,
  SEARCH_SEGMENT_BYTES_MAX,
  SEARCH_SEGMENT_DOCUMENTS_MAX,
  SEARCH_SEGMENT_MEMORY_SHARE_MAX,
  SEARCH_WAITING_DOCUMENTS_MAX,
  SEARCH_WAITING_TOKENS_MAX,
} from '#base/search-limits.ts';
import type { TextIndexLimits } from '../text/text-index.ts';

export const TEXT_INDEX_LIMITS: TextIndexLimits = {
  waitingDocumentsMax: SEARCH_WAITING_DOCUMENTS_MAX,
  waitingTokensMax: SEARCH_WAITING_TOKENS_MAX,
  segmentDocumentsMax: SEARCH_SEGMENT_DOCUMENTS_MAX,
  segmentBytesMax: SEARCH_SEGMENT_BYTES_MAX,
};

/** Of an index with a budget of memory: a merge needs some for what it makes. */
export function limitsWithin(memoryBytesMax: number): TextIndexLimits {
  const share = Math.max(
    SEARCH_RELEASED_BYTES_MIN,
    SEARCH_RELEASED_SHARE,
    SEARCH_SEGMENT_BYTES_FLOOR,
    memoryBytesMax * SEARCH_SEGMENT_MEMORY_SHARE_MAX,
  );
  return { ...TEXT_INDEX_LIMITS, segmentBytesMax: Math.min(SEARCH_SEGMENT_BYTES_MAX, share) };
}

/** Beyond so much that views have let go of, garbage is collected. */
export function releasedBytesMax(memoryBytesMax: number): number {
  return Math.max(SEARCH_RELEASED_BYTES_MIN, memoryBytesMax * SEARCH_RELEASED_SHARE);
}
