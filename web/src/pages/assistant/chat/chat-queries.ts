import { TrellisError } from '@trellis/client/trellis-error.ts';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../../../api/client.ts';

export const CHATS_TAKE = 30;

/** Beginning of the key of whatever tells of conversations. */
export const CHATS_KEY = ['chats'] as const;
export const CHAT_LISTS_KEY = [...CHATS_KEY, 'list'] as const;

export const chatListQuery = (query: string, take: number) =>
  queryOptions({
    queryKey: [...CHAT_LISTS_KEY, query, take],
    queryFn: ({ signal }) =>
      client.chats.list({ take, ...(query !== '' && { query }) }, { signal }),
    placeholderData: keepPreviousData,
  });

export const chatQuery = (uid: string) =>
  queryOptions({
    queryKey: [...CHATS_KEY, 'one', uid],
    queryFn: ({ signal }) => client.chats.get(uid, { signal }),
  });

/** What a turn may choose from, and whether there is a provider at all. */
export const chatOptionsQuery = queryOptions({
  queryKey: ['chat-options'],
  queryFn: ({ signal }) => client.chats.getOptions({ signal }),
  staleTime: 60_000,
});

/**
 * The research that waits or is under way in a conversation; null when none does. To be asked of a
 * busy conversation only: no other has one.
 */
export const chatResearchQuery = (uid: string) =>
  queryOptions({
    queryKey: [...CHATS_KEY, 'research', uid],
    queryFn: async ({ signal }) => {
      const { items } = await client.jobs.list({ kind: 'deep-research', take: 50 }, { signal });
      if (items.every(({ endedAt }) => endedAt !== null)) return null;
      try {
        return await client.deepResearch.get(uid, { signal });
      } catch (error) {
        if (error instanceof TrellisError && error.code === 'research_not_found') return null;
        throw error;
      }
    },
  });
