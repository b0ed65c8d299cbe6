import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

/** What the viewer has used of models, and what is left to them. */
export const ownBudgetQuery = queryOptions({
  queryKey: ['llm-budget'],
  queryFn: async ({ signal }) => (await client.llm.listUsage({ take: 1 }, { signal })).budget,
});
