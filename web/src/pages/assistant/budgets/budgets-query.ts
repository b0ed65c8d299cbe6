import { queryOptions } from '@tanstack/react-query';
import { client } from '../../../api/client.ts';

const REFETCH_MS = 10_000;

export const budgetsQuery = queryOptions({
  queryKey: ['llm-budgets'],
  queryFn: ({ signal }) => client.llm.getBudgets({ signal }),
  refetchInterval: REFETCH_MS,
});
