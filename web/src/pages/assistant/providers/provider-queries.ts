import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../../../api/client.ts';
import { COUNTERS_REFRESH_MS } from '../../../app/refresh-intervals.ts';

export const USAGE_TAKE = 20;

export const PROTOCOLS = [
  { value: 'openai-compatible', label: 'OpenAI: also Azure, Ollama, vLLM, LM Studio' },
  { value: 'anthropic', label: 'Anthropic' },
] as const;

export const providersQuery = queryOptions({
  queryKey: ['ai-providers'],
  queryFn: ({ signal }) => client.aiProviders.get({ signal }),
});

export const llmStateQuery = queryOptions({
  queryKey: ['llm-state'],
  queryFn: ({ signal }) => client.llm.getState({ signal }),
  refetchInterval: COUNTERS_REFRESH_MS,
});

export const llmUsageQuery = (skip: number) =>
  queryOptions({
    queryKey: ['llm-usage', skip],
    queryFn: ({ signal }) => client.llm.listUsage({ skip, take: USAGE_TAKE }, { signal }),
    placeholderData: keepPreviousData,
  });
