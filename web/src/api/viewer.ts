import { queryOptions, useQuery } from '@tanstack/react-query';
import type { UserNode } from '@trellis/contract/shapes/user.ts';
import { client } from './client.ts';

/** The user who looks at the page, and what they may do beyond reading. */
export interface Viewer {
  readonly uid: string;
  readonly name: string;
  readonly user: UserNode;
  /** An administrator, read-only ones included. */
  readonly seesAdministration: boolean;
  /** An administrator who may change things. */
  readonly isAdmin: boolean;
  readonly isReadOnlyAdmin: boolean;
  readonly isGuest: boolean;
  readonly managesUsers: boolean;
  readonly managesTeams: boolean;
  readonly managesSynonyms: boolean;
}

export const viewerQuery = queryOptions({
  queryKey: ['viewer'],
  queryFn: async ({ signal }): Promise<Viewer> => {
    const { user } = await client.login.check({ signal });
    return viewerOf(user.name, await client.users.get(user.uid, { signal }));
  },
  staleTime: 60_000,
});

/** Undefined while it is not known yet. */
export function useViewer(): Viewer | undefined {
  return useQuery(viewerQuery).data;
}

function viewerOf(name: string, user: UserNode): Viewer {
  const isReadOnlyAdmin = user['IsReadOnlyAdmin'] === true;
  const isAdmin = user['IsAdmin'] === true && !isReadOnlyAdmin;
  const roles = Array.isArray(user['Roles']) ? user['Roles'] : [];
  const has = (role: string) => isAdmin || roles.includes(role);
  return {
    uid: user.UID,
    name: user.FullName ?? user.UserName ?? name,
    user,
    seesAdministration: isAdmin || isReadOnlyAdmin,
    isAdmin,
    isReadOnlyAdmin,
    isGuest: user['IsGuest'] === true,
    managesUsers: has('CanManageUsers'),
    managesTeams: has('CanManageTeams'),
    managesSynonyms: has('CanManageSynonyms'),
  };
}
