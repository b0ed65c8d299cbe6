import { z } from 'zod';
import { withIds, type Rows } from '../operation.ts';
import { listOf, pageQuery, queryFlag } from '../shapes/list.ts';
import { memberChange, newTeam, teamChange, teamMembers, teamNode } from '../shapes/team.ts';
import { searchQuery, userNode } from '../shapes/user.ts';
import { uidText } from '../bounded-shapes.ts';

const params = z.object({ groupUID: uidText.min(1) });

export const operations = withIds({
  listTeams: {
    sdk: 'teams.list',
    area: 'teams',
    method: 'GET',
    path: '/api/groups',
    auth: 'session',
    query: searchQuery,
    responses: { 200: { description: 'Teams by name.', body: listOf(teamNode) } },
    errors: [],
    onReplica: 'serve',
    summary: 'List the teams; `query` is looked for in their names.',
  },

  createTeam: {
    sdk: 'teams.create',
    area: 'teams',
    method: 'PUT',
    path: '/api/groups/group',
    auth: 'session',
    body: newTeam,
    responses: { 201: { description: 'The team.', body: teamNode } },
    errors: ['teams_disabled', 'team_exists', 'storage_failed', 'storage_full'],
    onReplica: 'redirect',
    summary: 'Create a team.',
  },

  getTeam: {
    sdk: 'teams.get',
    area: 'teams',
    method: 'GET',
    path: '/api/groups/group/{groupUID}',
    auth: 'session',
    params,
    responses: { 200: { description: 'The team.', body: teamNode } },
    errors: ['team_not_found'],
    onReplica: 'serve',
    summary: 'Read a team.',
  },

  updateTeam: {
    sdk: 'teams.update',
    area: 'teams',
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

  deleteTeam: {
    sdk: 'teams.delete',
    area: 'teams',
    method: 'POST',
    path: '/api/groups/group/{groupUID}/delete',
    auth: 'session',
    params,
    responses: { 204: { description: 'Deleted.' } },
    errors: ['teams_disabled', 'team_not_found', 'team_in_use', 'storage_failed', 'storage_full'],
    onReplica: 'redirect',
    summary: 'Delete a team that no node is restricted to.',
  },

  setTeamUsers: {
    sdk: 'teams.setUsers',
    area: 'teams',
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

  listTeamUsers: {
    sdk: 'teams.listUsers',
    area: 'teams',
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
