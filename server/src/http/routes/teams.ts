import { operations } from '@trellis/contract/operations/teams.ts';
import { answer, routesOf } from '../route.ts';

export const teamsRoutes = routesOf(operations, {
  listTeams: async ({ caller, query }, { teams }) => answer(200, await teams.list(caller, query)),
  createTeam: async ({ caller, body, address }, { teams }) =>
    answer(201, await teams.create(caller, body, address)),
  getTeam: async ({ caller, params }, { teams }) =>
    answer(200, await teams.get(caller, params.groupUID)),
  updateTeam: async ({ caller, params, body, address }, { teams }) =>
    answer(200, await teams.update(caller, params.groupUID, body, address)),
  deleteTeam: async ({ caller, params, address }, { teams }) => {
    await teams.delete(caller, params.groupUID, address);
    return answer(204);
  },
  setTeamUsers: async ({ caller, params, body, address }, { teams }) =>
    answer(200, await teams.setUsers(caller, params.groupUID, body, address)),
  listTeamUsers: async ({ caller, params, query }, { teams }) => {
    const { nested, ...page } = query;
    return answer(
      200,
      await teams.listUsers(caller, params.groupUID, { ...page, nested: nested === true }),
    );
  },
});
