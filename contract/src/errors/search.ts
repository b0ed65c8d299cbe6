import type { ErrorGroup } from './entry.ts';

/** Search and its indexes. */
export const searchErrors = {
  invalid_vector: {
    status: 400,
    title: 'Vector cannot be used',
    hint: 'Use the model of the index, which gives finite numbers that are not all zero.',
  },
  embeddings_not_configured: {
    status: 409,
    title: 'No embeddings provider',
    hint: 'An administrator names one with PUT /api/chatai/providers.',
  },
  embeddings_unavailable: {
    status: 503,
    title: 'Embeddings not available',
    hint: 'Repeat the search after the seconds in the Retry-After header, or search for words: mode "text".',
    retryAfterSeconds: 5,
  },
  index_opening: {
    status: 503,
    title: 'Search index not open yet',
    hint: 'The saved index is being opened; repeat the search after the seconds in the Retry-After header.',
    retryAfterSeconds: 1,
  },
  search_timeout: {
    status: 503,
    title: 'Search took too long',
    hint: 'Ask for less: fewer results, or those of fewer types.',
    retryAfterSeconds: 5,
  },
  golden_set_not_found: {
    status: 404,
    title: 'Golden set not found',
    hint: 'List those there are: GET /api/search/golden-sets.',
  },
  evaluation_running: {
    status: 409,
    title: 'Search is being evaluated',
    hint: 'Ask again when the run that is under way has ended.',
  },
  evaluation_timeout: {
    status: 503,
    title: 'Evaluation took too long',
    hint: 'Split the golden set, or run it when the server has less to do.',
  },
  search_index_corrupt: {
    status: 500,
    title: 'Search index damaged',
    hint: 'Build the index again.',
    internal: true,
  },
} as const satisfies ErrorGroup;
