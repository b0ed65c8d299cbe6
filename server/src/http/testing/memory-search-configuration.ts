import type { HttpServices } from '../services.ts';

/** One term with one synonym. */
export function memorySearchConfiguration(): HttpServices['searchConfiguration'] {
  const lists = { Synonyms: ['vehicle'], Alternates: [], Blocked: [] };
  return {
    settings: { get: () => ({ types: {} }), put: async (_caller, settings) => settings },
    synonyms: {
      list: (_caller, { isPairs }) => ({
        Results: [isPairs ? ['car', 'vehicle'] : 'car'],
        TotalCount: 1,
      }),
      get: (_caller, { token, language }) => ({
        Token: token,
        Language: language,
        ...lists,
        Suggestions: [{ term: 'cart', similarity: 0.75 }],
      }),
      put: async (_caller, { token, language }, given) => ({
        Token: token,
        Language: language,
        ...given,
      }),
    },
    indexState: () => ({
      sequence: 7,
      documents: 1,
      segments: 1,
      bytes: 1,
      bytesOnDisk: 0,
      rebuild: null,
      vectors: [],
      texts: { waiting: 0, refused: 0 },
      embedder: null,
    }),
  };
}
