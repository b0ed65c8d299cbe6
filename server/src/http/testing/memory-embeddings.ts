import type { HttpServices } from '../services.ts';

/** Every node has one vector, and one other node is similar to it. */
export function memoryEmbeddings(): HttpServices['embeddings'] {
  const node = {
    UID: '1111111111111111111112',
    Type: 'Word',
    Timestamp: '2026-11-20T00:00:00.000Z',
  };
  return {
    of: async (_caller, { uids, field = 'Text' }) =>
      uids.map((UID) => ({ UID, field, model: 'm', chunk: 0, vector: [0.6, 0.8] })),
    similar: async () => JSON.stringify([{ node, score: 0.5 }]),
  };
}
