import { queryOptions } from '@tanstack/react-query';
import { client } from '../../../api/client.ts';

const REFETCH_MS = 3_000;

export const researchSettingsQuery = queryOptions({
  queryKey: ['research-settings'],
  queryFn: ({ signal }) => client.deepResearch.getSettings({ signal }),
  refetchInterval: REFETCH_MS,
});
