import type { HttpServices } from '../services.ts';

const UID = '1111111111111111111112';
const EVALUATION = {
  at: '2026-11-20T00:00:00.000Z',
  sequence: 7,
  queries: 1,
  metrics: { ndcg: 1, mrr: 1, precision: 0.1, recall: 1 },
};
const NONE = { total: 0, items: [] };

/** One set of one query, which finds what it should. */
export function memoryGoldenSets(): HttpServices['goldenSets'] {
  const queries = [{ query: 'dog', relevant: [UID] }];
  return {
    list: () => ({
      items: [{ name: 'questions', description: '', queries: 1, lastRun: EVALUATION }],
    }),
    get: (_caller, name) => ({ name, description: '', request: {}, queries }),
    put: async (_caller, name, set) => ({ name, ...set }),
    delete: async () => {},
    run: async (_caller, name) => ({
      name,
      ...EVALUATION,
      previous: EVALUATION,
      worse: NONE,
      better: NONE,
      unfound: NONE,
      missing: { total: 1, items: [{ query: 'dog', uid: UID }] },
    }),
    runs: () => ({ items: [EVALUATION] }),
  };
}
