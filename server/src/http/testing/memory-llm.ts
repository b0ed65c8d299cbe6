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
  const split = [
    { feature: 'router', model: 'm', calls: 1, inputTokens: 2, outputTokens: 3 },
  ] as const;
  const budget = {
    user: usage.user,
    day: usage.day,
    resetsAt: '2026-11-21T00:00:00.000Z',
    tokensPerDay: 10,
    tokensUsed: 5,
    tokensReserved: 2,
    tokensLeft: 3,
    requestsAtOnceMax: 2,
    requestsPerMinuteMax: 9,
    tokens: [{ token: 't', requestsUnderWay: 1, requestsBegun: 2 }],
    split,
  };
  return {
    models: () => ['m'],
    chat: async () => ({ json: '{}' }),
    embeddings: async () => ({ json: '{}' }),
    usage: ({ skip, take }) => ({
      items: [{ ...usage, split }],
      total: 1,
      skip,
      take,
      budget,
    }),
    state: () => ({
      status: 'idle',
      lastAnswerAt: null,
      lastErrorAt: null,
      lastError: null,
      further: [],
    }),
  };
}
