import type { HttpServices } from '../services.ts';

/** One model, which says nothing. */
export function memoryLlm(): HttpServices['llm'] {
  const usage = {
    day: '2026-11-20',
    token: 't',
    user: '1111111111111111111111',
    calls: 1,
    inputTokens: 2,
    outputTokens: 3,
  };
  return {
    models: () => ['m'],
    chat: async () => ({ json: '{}' }),
    embeddings: async () => ({ json: '{}' }),
    usage: ({ skip, take }) => ({ items: [usage], total: 1, skip, take }),
    state: () => ({
      status: 'idle',
      lastAnswerAt: null,
      lastErrorAt: null,
      lastError: null,
      further: [],
    }),
  };
}
