import { queryOptions } from '@tanstack/react-query';
import { client } from '../../../api/client.ts';
import { BUDGETS_REFRESH_MS } from '../../../app/refresh-intervals.ts';

export const budgetsQuery = queryOptions({
  queryKey: ['llm-budgets'],
  queryFn: ({ signal }) => client.llm.getBudgets({ signal }),
  refetchInterval: BUDGETS_REFRESH_MS,
});
