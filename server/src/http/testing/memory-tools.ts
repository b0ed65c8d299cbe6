import type { HttpServices } from '../services.ts';

const TOOL = {
  UID: '1111111111111111111112',
  name: 'lookup',
  description: 'Looks a word up.',
  endpoint: 'words/lookup',
  access: 'users',
  enabled: true,
  isReadOnly: true,
  mayRunOnPrimary: false,
  problem: null,
  updatedAt: '2026-11-20T00:00:00.000Z',
} as const;
const NO_TIMES = { averageMs: null, p50Ms: null, p95Ms: null, p99Ms: null, lastCalledAt: null };

/** One tool, which nobody has called. */
export function memoryTools(): HttpServices['tools'] {
  return {
    list: (_caller, page) => ({ items: [TOOL], total: 1, ...page }),
    create: async () => TOOL,
    put: async () => TOOL,
    delete: async () => {},
    metrics: () => ({
      items: [{ tool: TOOL.name, calls: 0, errors: 0, errorRate: 0, ...NO_TIMES }],
    }),
  };
}

/** One type with one filter. */
export function memoryLlmSearchSettings(): HttpServices['llmSearchSettings'] {
  const settings = { nodeTypes: ['Word'], filters: ['lemma'], available: { Word: ['lemma'] } };
  return { get: () => settings, put: async () => settings };
}
