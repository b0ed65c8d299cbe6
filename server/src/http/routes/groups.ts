import { operations } from '@trellis/contract/operations/groups.ts';
import { answer } from '../answer.ts';
import { routesOf } from '../routes-of.ts';

export const groupsRoutes = routesOf(operations, {
  listGroups: async ({ caller, query }, { teams }) => answer(200, await teams.list(caller, query)),
  createGroup: async ({ caller, body, address }, { teams }) =>
    answer(201, await teams.create(caller, body, address)),
  getGroup: async ({ caller, params }, { teams }) =>
    answer(200, await teams.get(caller, params.groupUID)),
  updateGroup: async ({ caller, params, body, address }, { teams }) =>
    answer(200, await teams.update(caller, params.groupUID, body, address)),
  deleteGroup: async ({ caller, params, address }, { teams }) => {
    await teams.delete(caller, params.groupUID, address);
    return answer(204);
  },
  setGroupUsers: async ({ caller, params, body, address }, { teams }) =>
    answer(200, await teams.setUsers(caller, params.groupUID, body, address)),
  listGroupUsers: async ({ caller, params, query }, { teams }) => {
    const { nested, ...page } = query;
    return answer(
      200,
      await teams.listUsers(caller, params.groupUID, { ...page, nested: nested === true }),
    );
  },
});
