import type { ErrorGroup } from './entry.ts';

/** The provider of chat, and the router of requests to it. */
export const llmErrors = {
  llm_not_configured: {
    status: 409,
    title: 'No provider of chat',
    hint: 'An administrator names one with PUT /api/chatai/providers.',
  },
  model_not_found: {
    status: 404,
    title: 'Model not found',
    hint: 'GET models, at the same base address, lists those that an administrator allows.',
  },
  llm_quota_exceeded: {
    status: 429,
    title: 'Tokens of the day used up',
    hint: 'Ask again tomorrow, in UTC; an administrator can raise tokensPerUserAndDay.',
  },
  llm_request_refused: {
    status: 400,
    title: 'Request not taken by the provider',
    hint: 'Change the request as the message says.',
  },
  llm_busy: {
    status: 429,
    title: 'Provider busy',
    hint: 'Ask again after the seconds in the Retry-After header.',
    retryAfterSeconds: 5,
  },
  llm_unavailable: {
    status: 503,
    title: 'Provider not available',
    hint: 'Ask again after the seconds in the Retry-After header.',
    retryAfterSeconds: 5,
  },
  llm_timeout: {
    status: 504,
    title: 'Model took too long',
    hint: 'Ask for less, or allow more time.',
  },
  tool_timeout: {
    status: 504,
    title: 'Tool took too long',
    hint: 'Call it for less at a time.',
  },
  llm_misconfigured: {
    status: 502,
    title: 'Provider not set up as it should be',
    hint: 'An administrator looks at address, key and model: GET /api/llm/state says what was wrong.',
  },
} as const satisfies ErrorGroup;
