import type { HttpServices } from '../services.ts';

/** None, and after a change the one that was given. */
export function memoryAiProviders(): HttpServices['aiProviders'] {
  return {
    get: () => ({ embeddings: null }),
    put: async (_caller, { embeddings }) => {
      if (embeddings === undefined || embeddings === null) return { embeddings: null };
      const { apiKey, ...settings } = embeddings;
      return { embeddings: { ...settings, hasApiKey: typeof apiKey === 'string' } };
    },
  };
}
