import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { UserNode } from '@trellis/contract/shapes/user.ts';
import { client } from '../../../api/client.ts';

export const USERS_TAKE = 50;

export const usersQuery = (page: { readonly query: string | undefined; readonly skip: number }) =>
  queryOptions({
    queryKey: ['users', 'list', page],
    queryFn: ({ signal }) => client.users.list({ ...page, take: USERS_TAKE }, { signal }),
    placeholderData: keepPreviousData,
  });

/**
 * The whole user to administrators; to others what everybody may know of them (specification,
 * section 2.6).
 */
export const userQuery = (uid: string, seesAdministration: boolean) =>
  queryOptions({
    queryKey: ['users', 'one', uid],
    queryFn: async ({ signal }): Promise<UserNode> =>
      seesAdministration
        ? client.users.get(uid, { signal })
        : { ...(await client.nodes.get(uid, { signal })), Type: '_User' },
    // A form begins with what is stored now.
    gcTime: 0,
  });

/** After a change of users: what shows their names is read again too. */
export async function refreshUsers(queries: QueryClient): Promise<void> {
  await Promise.all(
    [['users'], ['names'], ['viewer']].map((queryKey) => queries.invalidateQueries({ queryKey })),
  );
}
