import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { LIST_TAKE_MAX } from '@trellis/contract/limits.ts';
import { client } from '../../../api/client.ts';
import { nameOf } from '../../../api/names.ts';

export const TEAMS_TAKE = 50;
export const MEMBERS_TAKE = 50;

export const teamsQuery = (page: { readonly query: string | undefined; readonly skip: number }) =>
  queryOptions({
    queryKey: ['teams', 'list', page],
    queryFn: ({ signal }) => client.teams.list({ ...page, take: TEAMS_TAKE }, { signal }),
    placeholderData: keepPreviousData,
  });

export const teamQuery = (uid: string) =>
  queryOptions({
    queryKey: ['teams', 'one', uid],
    queryFn: ({ signal }) => client.teams.get(uid, { signal }),
  });

/** What is directly in a team, or administers it. */
export interface Member {
  readonly uid: string;
  readonly name: string;
  readonly kind: 'user' | 'team';
}

export interface DirectMembers {
  readonly members: readonly Member[];
  readonly total: number;
  readonly skip: number;
  readonly take: number;
}

/**
 * A page of what is directly in a team: users, and teams, whose members are then members too.
 * Members are neighbors of the team's node; the list of users of a team knows no teams.
 */
export const membersQuery = (uid: string, skip: number) =>
  queryOptions({
    queryKey: ['teams', 'members', uid, skip],
    queryFn: ({ signal }) => readMembers(uid, '_MemberOf', skip, MEMBERS_TAKE, signal),
    placeholderData: keepPreviousData,
  });

export const teamAdminsQuery = (uid: string) =>
  queryOptions({
    queryKey: ['teams', 'admins', uid],
    queryFn: ({ signal }) => readMembers(uid, '_AdminOf', 0, LIST_TAKE_MAX, signal),
  });

/** Users of the team and of all the teams in it. */
export const nestedUsersQuery = (uid: string, skip: number) =>
  queryOptions({
    queryKey: ['teams', 'nested', uid, skip],
    queryFn: ({ signal }) =>
      client.teams.listUsers(uid, { nested: true, skip, take: MEMBERS_TAKE }, { signal }),
    placeholderData: keepPreviousData,
  });

async function readMembers(
  uid: string,
  edge: '_MemberOf' | '_AdminOf',
  skip: number,
  take: number,
  signal: AbortSignal,
): Promise<DirectMembers> {
  const { items, total } = await client.system.neighbors(
    { node: { uid }, edges: [edge], direction: 'in', skip, take },
    { signal },
  );
  const members = items.map(({ node }): Member => {
    return { uid: node.UID, name: nameOf(node), kind: node.Type === '_User' ? 'user' : 'team' };
  });
  return { members, total, skip, take };
}

export async function refreshTeams(queries: QueryClient): Promise<void> {
  await Promise.all(
    [['teams'], ['names']].map((queryKey) => queries.invalidateQueries({ queryKey })),
  );
}
