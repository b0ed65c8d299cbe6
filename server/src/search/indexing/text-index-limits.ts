import {
  SEARCH_SEGMENT_DOCUMENTS_MAX,
  SEARCH_WAITING_DOCUMENTS_MAX,
  SEARCH_WAITING_TOKENS_MAX,
} from '#base/search-limits.ts';
import type { TextIndexLimits } from '../text/text-index.ts';

export const TEXT_INDEX_LIMITS: TextIndexLimits = {
  waitingDocumentsMax: SEARCH_WAITING_DOCUMENTS_MAX,
  waitingTokensMax: SEARCH_WAITING_TOKENS_MAX,
  segmentDocumentsMax: SEARCH_SEGMENT_DOCUMENTS_MAX,
};
