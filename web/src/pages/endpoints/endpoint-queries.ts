import { eachItem } from '@trellis/client/pages.ts';
import type { EndpointDefinition } from '@trellis/contract/shapes/endpoint.ts';
import { LIST_TAKE_MAX } from '@trellis/contract/limits.ts';
import { keepPreviousData, type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { tellsOfJobs, tellsOfView, useLiveQueries } from '../../app/live-queries.ts';
import { COUNTERS_REFRESH_MS } from '../../app/refresh-intervals.ts';

/** An endpoint as lists show it: its code can be large. */
export type EndpointSummary = Omit<EndpointDefinition, 'code'>;

export const HISTORY_TAKE = 20;

export const endpointListQuery = queryOptions({
  queryKey: ['endpoints', 'list'],
  queryFn: async ({ signal }): Promise<readonly EndpointSummary[]> => {
    const all: EndpointSummary[] = [];
    const pages = eachItem((page) => client.endpoints.list(page, { signal }), LIST_TAKE_MAX);
    for await (const { code: _code, ...summary } of pages) all.push(summary);
    return all;
  },
});

const COMPILE_STATUS_KEY = ['endpoints', 'compile-status'] as const;
const tellsOfChecks = tellsOfJobs('endpoint-recheck');

/** What compiles, also once a check in the background has ended. */
export function useCompileStatus() {
  useLiveQueries(COMPILE_STATUS_KEY, tellsOfChecks);
  return useQuery({
    queryKey: COMPILE_STATUS_KEY,
    queryFn: ({ signal }) => client.build.getCompileStatus({ signal }),
  });
}

export const endpointMetricsQuery = queryOptions({
  queryKey: ['endpoints', 'metrics'],
  queryFn: ({ signal }) => client.endpoints.getMetrics({ signal }),
  refetchInterval: COUNTERS_REFRESH_MS,
});

export const endpointQuery = (name: string) =>
  queryOptions({
    queryKey: ['endpoints', 'one', name],
    queryFn: ({ signal }) => client.endpoints.get(name, { signal }),
  });

export const historyQuery = (name: string, skip: number) =>
  queryOptions({
    queryKey: ['endpoints', 'history', name, skip],
    queryFn: ({ signal }) =>
      client.codeHistory.listItem('endpoint', name, { skip, take: HISTORY_TAKE }, { signal }),
    placeholderData: keepPreviousData,
  });

/** A version does not change any more. */
export const versionQuery = (name: string, version: number) =>
  queryOptions({
    queryKey: ['endpoints', 'version', name, version],
    queryFn: ({ signal }) =>
      client.codeHistory.getVersion('endpoint', name, { version }, { signal }),
    staleTime: Infinity,
  });

const INPUTS_KEY = ['endpoints', 'inputs'] as const;
const tellsOfInputs = tellsOfView('recorded-inputs');

export const recordedInputsQuery = (name: string) =>
  queryOptions({
    queryKey: [...INPUTS_KEY, name],
    queryFn: ({ signal }) => client.codeHistory.listRecordedInputs('endpoint', name, { signal }),
  });

/** What is recorded of an endpoint's inputs, as calls come. */
export function useRecordedInputs(name: string) {
  useLiveQueries(INPUTS_KEY, tellsOfInputs);
  return useQuery(recordedInputsQuery(name));
}

/** Of the version that serves: changes with each that is saved. */
export const endpointTypesQuery = (name: string, version: number) =>
  queryOptions({
    queryKey: ['endpoints', 'types', name, version],
    queryFn: ({ signal }) => client.build.getEndpointTypes(name, { signal }),
  });

/** A trace does not change any more. */
export const callTraceQuery = (id: string) =>
  queryOptions({
    queryKey: ['endpoints', 'trace', id],
    queryFn: ({ signal }) => client.build.getCallTrace(id, { signal }),
    staleTime: Infinity,
  });

const CALL_LINES_MAX = 200;

/** The last calls, with the lines that are still there of each. */
export const endpointCallsQuery = (name: string) =>
  queryOptions({
    queryKey: ['endpoints', 'calls', name],
    queryFn: async ({ signal }) => {
      const [{ items }, logged] = await Promise.all([
        client.build.listEndpointCalls(name, { signal }),
        client.endpoints.listLogs({ endpoint: name, take: CALL_LINES_MAX }, { signal }),
      ]);
      const lines = logged.items.toReversed();
      return items.map((call) => ({ ...call, lines: lines.filter(({ run }) => run === call.run) }));
    },
    refetchInterval: COUNTERS_REFRESH_MS,
  });

/** The server brings these along; nobody changes them (docs/endpoints.md). */
export function isBuiltIn(name: string): boolean {
  return name.startsWith('system/');
}

/**
 * After a change: what was answered is the endpoint as it is now, and all that tells of it is read
 * again.
 */
export async function rememberEndpoint(
  queries: QueryClient,
  definition: EndpointDefinition,
): Promise<void> {
  queries.setQueryData(endpointQuery(definition.name).queryKey, definition);
  await forgetLists(queries, definition.name);
}

/** The last two are those of the pages of all code. */
export async function forgetLists(queries: QueryClient, name: string): Promise<void> {
  const keys = [
    ['endpoints', 'list'],
    ['endpoints', 'names'],
    COMPILE_STATUS_KEY,
    ['endpoints', 'history', name],
    ['code-history'],
    ['build-catalog'],
  ];
  await Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
}
