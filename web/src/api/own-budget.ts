import { queryOptions } from '@tanstack/react-query';
import type { MonthBudget } from '@trellis/contract/shapes/llm-budget.ts';
import { client } from './client.ts';

/** What the viewer has used of models, and what is left to them. */
export const ownBudgetQuery = queryOptions({
  queryKey: ['llm-budget'],
  queryFn: async ({ signal }) => (await client.llm.listUsage({ take: 1 }, { signal })).budget,
});

/** Whose month it is. */
export function ownerOf({ team, name }: Pick<MonthBudget, 'team' | 'name'>): string {
  return team === null ? 'Everybody' : (name ?? team);
}
