import { eachItem } from '@trellis/client/pages.ts';
import { LIST_TAKE_MAX } from '@trellis/contract/limits.ts';
import type { AgentSummary } from '@trellis/contract/shapes/agent.ts';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../../../api/client.ts';
import { tellsOfView, useLiveQueries } from '../../../app/live-queries.ts';

export const RUNS_TAKE = 20;

/** Beginning of the key of whatever tells of agents. */
export const AGENTS_KEY = ['agents'] as const;
/** Of their runs. */
const RUNS_KEY = [...AGENTS_KEY, 'runs'] as const;
const tellsOfRuns = tellsOfView('agent-runs');

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
    queryKey: [...RUNS_KEY, 'of', agent, skip],
    queryFn: ({ signal }) => client.agents.listRuns({ agent, skip, take: RUNS_TAKE }, { signal }),
    placeholderData: keepPreviousData,
  });

export const agentRunQuery = (uid: string) =>
  queryOptions({
    queryKey: [...RUNS_KEY, 'one', uid],
    queryFn: ({ signal }) => client.agents.getRun(uid, { signal }),
  });

/** Runs are read again as they begin, go on and end. */
export function useLiveRuns(): void {
  useLiveQueries(RUNS_KEY, tellsOfRuns);
}
