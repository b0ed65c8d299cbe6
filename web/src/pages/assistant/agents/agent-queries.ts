import { eachItem } from '@trellis/client/pages.ts';
import { LIST_TAKE_MAX } from '@trellis/contract/limits.ts';
import type { AgentSummary } from '@trellis/contract/shapes/agent.ts';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../../../api/client.ts';

export const RUNS_TAKE = 20;
const RUNNING_REFETCH_MS = 1_000;

/** Beginning of the key of whatever tells of agents. */
export const AGENTS_KEY = ['agents'] as const;

export const agentListQuery = queryOptions({
  queryKey: [...AGENTS_KEY, 'list'],
  queryFn: async ({ signal }): Promise<readonly AgentSummary[]> =>
    Array.fromAsync(eachItem((page) => client.agents.list(page, { signal }), LIST_TAKE_MAX)),
});

/** With its instructions; for administrators. */
export const agentQuery = (name: string) =>
  queryOptions({
    queryKey: [...AGENTS_KEY, 'one', name],
    queryFn: ({ signal }) => client.agents.get(name, { signal }),
  });

/**
 * Names of the tools that an agent may have: those that chats are offered, which only read, and all
 * that administrators defined.
 */
export const toolNamesQuery = queryOptions({
  queryKey: [...AGENTS_KEY, 'tool-names'],
  queryFn: async ({ signal }): Promise<readonly string[]> => {
    const [{ tools: offered }, defined] = await Promise.all([
      client.chats.getOptions({ signal }),
      Array.fromAsync(eachItem((page) => client.tools.list(page, { signal }), LIST_TAKE_MAX)),
    ]);
    return [...new Set([...offered, ...defined].map(({ name }) => name))].toSorted();
  },
});

export const agentRunsQuery = (agent: string, skip: number) =>
  queryOptions({
    queryKey: [...AGENTS_KEY, 'runs', agent, skip],
    queryFn: ({ signal }) => client.agents.listRuns({ agent, skip, take: RUNS_TAKE }, { signal }),
    placeholderData: keepPreviousData,
  });

/** Read again and again until it has ended. */
export const agentRunQuery = (uid: string) =>
  queryOptions({
    queryKey: [...AGENTS_KEY, 'run', uid],
    queryFn: ({ signal }) => client.agents.getRun(uid, { signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'Running' ? RUNNING_REFETCH_MS : false),
  });
