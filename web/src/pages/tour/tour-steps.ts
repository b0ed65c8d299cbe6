import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { useViewer, type Viewer } from '../../api/viewer.ts';
import { chatOptionsQuery } from '../assistant/chat/chat-queries.ts';
import { everythingQuery } from '../explore/search/search-queries.ts';
import { visitedQuery } from './visited-pages.ts';

export type TourStep =
  | 'search'
  | 'graph'
  | 'ask'
  | 'import'
  | 'endpoint'
  | 'token'
  | 'call'
  | 'users'
  | 'backup';

export interface StepState {
  readonly step: TourStep;
  /** Undefined while it is not known. */
  readonly isDone: boolean | undefined;
}

/** The word that steps look for where the sample graph is loaded. */
export const SAMPLE_WORD = 'trellis';
const SAMPLE_TYPES: ReadonlySet<string> = new Set(['Word', 'Synset']);
const FRESH = { staleTime: 0, refetchOnMount: 'always' } as const;

/** Whether somebody, and not the server itself, has brought it in. */
const dataQuery = queryOptions({
  queryKey: ['tour', 'data'],
  queryFn: async ({ signal }) => {
    const { types } = await client.stats.getOverview({ signal });
    return types.some(
      ({ type, nodes }) => nodes > 0 && !type.startsWith('_') && !SAMPLE_TYPES.has(type),
    );
  },
  ...FRESH,
});
const endpointQuery = queryOptions({
  queryKey: ['tour', 'endpoint'],
  queryFn: async ({ signal }) => {
    const { items } = await client.build.getCatalog({ signal });
    return items.some(({ kind, updatedBy }) => kind === 'endpoint' && updatedBy !== null);
  },
  ...FRESH,
});
const tokensQuery = queryOptions({
  queryKey: ['tour', 'tokens'],
  queryFn: async ({ signal }) => (await client.tokens.list({ take: 100 }, { signal })).items,
  ...FRESH,
});
const usersQuery = queryOptions({
  queryKey: ['tour', 'users'],
  queryFn: async ({ signal }) => (await client.users.list({ take: 1 }, { signal })).total > 1,
  ...FRESH,
});
const backupQuery = queryOptions({
  queryKey: ['tour', 'backup'],
  queryFn: async ({ signal }) => (await client.backups.list({ take: 1 }, { signal })).total > 0,
  ...FRESH,
});
const chatQuery = queryOptions({
  queryKey: ['tour', 'chat'],
  queryFn: async ({ signal }) => (await client.chats.list({ take: 1 }, { signal })).total > 0,
  ...FRESH,
});

/** What this viewer can do here, in the order in which one does it. */
function stepsOf(viewer: Viewer, hasModel: boolean): readonly TourStep[] {
  return [
    'search',
    'graph',
    ...(hasModel ? (['ask'] as const) : []),
    ...(viewer.isAdmin ? (['import', 'endpoint', 'token', 'call'] as const) : []),
    ...(viewer.managesUsers ? (['users'] as const) : []),
    ...(viewer.isAdmin ? (['backup'] as const) : []),
  ];
}

/**
 * The steps that are the viewer's, and which are done: as the server knows it, and for pages that
 * were looked at, as this browser does.
 */
export function useTourSteps(): {
  readonly steps: readonly StepState[];
  readonly isKnown: boolean;
} {
  const viewer = useViewer();
  const options = useQuery(chatOptionsQuery);
  const steps = viewer === undefined ? [] : stepsOf(viewer, options.data?.isConfigured === true);
  const has = (step: TourStep) => steps.includes(step);
  const visited = useQuery(visitedQuery(viewer?.uid)).data;
  const asked = useQueries({
    queries: [
      { ...dataQuery, enabled: has('import') },
      { ...endpointQuery, enabled: has('endpoint') },
      { ...tokensQuery, enabled: has('token') },
      { ...usersQuery, enabled: has('users') },
      { ...backupQuery, enabled: has('backup') },
      { ...chatQuery, enabled: has('ask') },
    ],
  });
  const [data, endpoint, tokens, users, backup, chat] = asked;
  const done: Readonly<Record<TourStep, boolean | undefined>> = {
    search: visited?.has('search'),
    graph: visited?.has('graph'),
    ask: chat.data,
    import: data.data,
    endpoint: endpoint.data,
    token: tokens.data && tokens.data.length > 0,
    call: tokens.data?.some(({ lastUsedAt }) => lastUsedAt !== null),
    users: users.data,
    backup: backup.data,
  };
  return {
    steps: steps.map((step) => ({ step, isDone: done[step] })),
    // One that cannot be read is never known.
    isKnown: steps.length > 0 && visited !== undefined && !asked.some(({ isLoading }) => isLoading),
  };
}

export interface Sample {
  /** The node of the sample's word; undefined where the sample is not loaded. */
  readonly word: string | undefined;
  /** Of the newest node that the viewer may see; undefined where there is none. */
  readonly newest: string | undefined;
  /** The type with the most nodes. */
  readonly type: string | undefined;
}

/** What steps can show; undefined while it is not known. */
export function useSample(): Sample | undefined {
  const everything = useQuery(everythingQuery).data;
  const types = everything?.facets['Type'];
  const hasWords = types?.some(({ value }) => value === 'Word') === true;
  const { data, isFetched } = useQuery({
    queryKey: ['tour', 'word'],
    queryFn: ({ signal }) =>
      client.system.nodes({ type: 'Word', keys: [SAMPLE_WORD], take: 1 }, { signal }),
    // Nodes of a type that is not in the schema cannot be asked for.
    enabled: hasWords,
  });
  if (everything === undefined || (hasWords && !isFetched)) return undefined;
  return {
    word: data?.items[0]?.UID,
    newest: everything.hits[0]?.node.UID,
    type: types?.[0]?.value,
  };
}
