import { z } from 'zod';
import { type Rows, STORE_ERRORS, withIds } from '../operation.ts';
import { listOf, pageQuery, queryFlag } from '../shapes/list.ts';
import { memberChange, newTeam, teamChange, teamMembers, teamNode } from '../shapes/team.ts';
import { searchQuery, userNode } from '../shapes/user.ts';
import { uidText } from '../bounded-shapes.ts';

const params = z.object({ groupUID: uidText.min(1) });

const reads = { area: 'teams', auth: 'session', onReplica: 'serve' } as const;
const writes = { area: 'teams', auth: 'session', onReplica: 'redirect' } as const;

export const operations = withIds({
  listTeams: {
    ...reads,
    sdk: 'teams.list',
    method: 'GET',
    path: '/api/groups',
    query: searchQuery,
    responses: { 200: { description: 'Teams by name.', body: listOf(teamNode) } },
    errors: [],
    summary: 'List the teams; `query` is looked for in their names.',
  },

  createTeam: {
    ...writes,
    sdk: 'teams.create',
    method: 'PUT',
    path: '/api/groups/group',
    body: newTeam,
    responses: { 201: { description: 'The team.', body: teamNode } },
    errors: ['teams_disabled', 'team_exists', ...STORE_ERRORS],
    summary: 'Create a team.',
  },

  getTeam: {
    ...reads,
    sdk: 'teams.get',
    method: 'GET',
    path: '/api/groups/group/{groupUID}',
    params,
    responses: { 200: { description: 'The team.', body: teamNode } },
    errors: ['team_not_found'],
    summary: 'Read a team.',
  },

  updateTeam: {
    ...writes,
    sdk: 'teams.update',
    method: 'PUT',
    path: '/api/groups/group/{groupUID}',
    params,
    body: teamChange,
    responses: { 200: { description: 'The team after the change.', body: teamNode } },
    errors: ['teams_disabled', 'team_not_found', 'team_exists', ...STORE_ERRORS],
    summary: 'Change the name or the description of a team.',
  },

  deleteTeam: {
    ...writes,
    sdk: 'teams.delete',
    method: 'POST',
    path: '/api/groups/group/{groupUID}/delete',
    params,
    responses: { 204: { description: 'Deleted.' } },
    errors: ['teams_disabled', 'team_not_found', 'team_in_use', ...STORE_ERRORS],
    summary: 'Delete a team that no node is restricted to.',
  },

  setTeamUsers: {
    ...writes,
    sdk: 'teams.setUsers',
    method: 'PUT',
    path: '/api/groups/group/{groupUID}/users',
    params,
    body: memberChange,
    responses: {
      200: { description: 'Who is directly in the team, and administers it.', body: teamMembers },
    },
    errors: ['teams_disabled', 'team_not_found', 'team_cycle', ...STORE_ERRORS],
    summary: 'Add members to a team, remove them, and say who administers it.',
  },

  listTeamUsers: {
    ...reads,
    sdk: 'teams.listUsers',
    method: 'GET',
    path: '/api/groups/group/{groupUID}/users',
    params,
    query: pageQuery.extend({ nested: queryFlag.optional() }),
    responses: { 200: { description: 'Users by name.', body: listOf(userNode) } },
    errors: ['team_not_found'],
    summary: 'List the users of a team; with `nested=true` those of the teams in it too.',
  },
} as const satisfies Rows);
