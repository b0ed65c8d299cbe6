import type { HttpServices } from '../services.ts';

/** None, and after a change those that were given. */
export function memoryAiProviders(): HttpServices['aiProviders'] {
  return {
    get: () => ({ chat: null, furtherChat: [], embeddings: null }),
    put: async (_caller, { chat, furtherChat = [], embeddings }) => ({
      chat: chat ? withoutKey(chat) : null,
      furtherChat: furtherChat.map(withoutKey),
      embeddings: embeddings ? withoutKey(embeddings) : null,
    }),
  };
}

function withoutKey<P extends { readonly apiKey?: string | null | undefined }>({
  apiKey,
  ...settings
}: P): Omit<P, 'apiKey'> & { readonly hasApiKey: boolean } {
  return { ...settings, hasApiKey: typeof apiKey === 'string' };
}
