import { z } from 'zod';
import { withIds, type Rows } from '../operation.ts';
import { listOf, pageQuery, queryFlag } from '../shapes/list.ts';
import { memberChange, newTeam, teamChange, teamMembers, teamNode } from '../shapes/team.ts';
import { searchQuery, userNode } from '../shapes/user.ts';
import { uidText } from '../bounded-shapes.ts';

const params = z.object({ groupUID: uidText.min(1) });

export const operations = withIds({
  listGroups: {
    sdk: 'teams.list',
    area: 'groups',
    method: 'GET',
    path: '/api/groups',
    auth: 'session',
    query: searchQuery,
    responses: { 200: { description: 'Teams by name.', body: listOf(teamNode) } },
    errors: [],
    onReplica: 'serve',
    summary: 'List the teams; `query` is looked for in their names.',
  },

  createGroup: {
    sdk: 'teams.create',
    area: 'groups',
    method: 'PUT',
    path: '/api/groups/group',
    auth: 'session',
    body: newTeam,
    responses: { 201: { description: 'The team.', body: teamNode } },
    errors: ['teams_disabled', 'team_exists', 'storage_failed', 'storage_full'],
    onReplica: 'redirect',
    summary: 'Create a team.',
  },

  getGroup: {
    sdk: 'teams.get',
    area: 'groups',
    method: 'GET',
    path: '/api/groups/group/{groupUID}',
    auth: 'session',
    params,
    responses: { 200: { description: 'The team.', body: teamNode } },
    errors: ['team_not_found'],
    onReplica: 'serve',
    summary: 'Read a team.',
  },

  updateGroup: {
    sdk: 'teams.update',
    area: 'groups',
    method: 'PUT',
    path: '/api/groups/group/{groupUID}',
    auth: 'session',
    params,
    body: teamChange,
    responses: { 200: { description: 'The team after the change.', body: teamNode } },
    errors: ['teams_disabled', 'team_not_found', 'team_exists', 'storage_failed', 'storage_full'],
    onReplica: 'redirect',
    summary: 'Change the name or the description of a team.',
  },

  deleteGroup: {
    sdk: 'teams.delete',
    area: 'groups',
    method: 'POST',
    path: '/api/groups/group/{groupUID}/delete',
    auth: 'session',
    params,
    responses: { 204: { description: 'Deleted.' } },
    errors: ['teams_disabled', 'team_not_found', 'team_in_use', 'storage_failed', 'storage_full'],
    onReplica: 'redirect',
    summary: 'Delete a team that no node is restricted to.',
  },

  setGroupUsers: {
    sdk: 'teams.setUsers',
    area: 'groups',
    method: 'PUT',
    path: '/api/groups/group/{groupUID}/users',
    auth: 'session',
    params,
    body: memberChange,
    responses: {
      200: { description: 'Who is directly in the team, and administers it.', body: teamMembers },
    },
    errors: ['teams_disabled', 'team_not_found', 'team_cycle', 'storage_failed', 'storage_full'],
    onReplica: 'redirect',
    summary: 'Add members to a team, remove them, and say who administers it.',
  },

  listGroupUsers: {
    sdk: 'teams.listUsers',
    area: 'groups',
    method: 'GET',
    path: '/api/groups/group/{groupUID}/users',
    auth: 'session',
    params,
    query: pageQuery.extend({ nested: queryFlag.optional() }),
    responses: { 200: { description: 'Users by name.', body: listOf(userNode) } },
    errors: ['team_not_found'],
    onReplica: 'serve',
    summary: 'List the users of a team; with `nested=true` those of the teams in it too.',
  },
} as const satisfies Rows);
