import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../../../api/client.ts';
import { COUNTERS_REFRESH_MS } from '../../../app/refresh-intervals.ts';

export const TOOLS_TAKE = 50;

/** Beginning of the key of whatever tells of tools. */
export const TOOLS_KEY = ['ai-tools'] as const;

export const toolsQuery = (skip: number) =>
  queryOptions({
    queryKey: [...TOOLS_KEY, 'list', skip],
    queryFn: ({ signal }) => client.tools.list({ skip, take: TOOLS_TAKE }, { signal }),
    placeholderData: keepPreviousData,
  });

export const toolMetricsQuery = queryOptions({
  queryKey: [...TOOLS_KEY, 'metrics'],
  queryFn: ({ signal }) => client.tools.getMetrics({ signal }),
  refetchInterval: COUNTERS_REFRESH_MS,
});

export const llmSearchQuery = queryOptions({
  queryKey: ['llm-search-settings'],
  queryFn: ({ signal }) => client.search.getLlmSettings({ signal }),
});

export const assistantSettingsQuery = queryOptions({
  queryKey: ['assistant-settings'],
  queryFn: ({ signal }) => client.assistant.getSettings({ signal }),
});
