import { operations } from '@trellis/contract/operations/users.ts';
import { answer, routesOf } from '../route.ts';

export const usersRoutes = routesOf(operations, {
  listUsers: async ({ caller, query }, { users }) => answer(200, await users.list(caller, query)),
  createUser: async ({ caller, body, address }, { users }) =>
    answer(201, await users.create(caller, body, address)),
  getUser: async ({ caller, params }, { users }) =>
    answer(200, await users.get(caller, params.uid)),
  updateUser: async ({ caller, params, body, address }, { users }) =>
    answer(200, await users.update(caller, params.uid, body, address)),
  deactivateUser: async ({ caller, params, address }, { users }) => {
    await users.deactivate(caller, params.uid, address);
    return answer(204);
  },
  createPasswordResetLink: async ({ caller, params, address }, { passwordReset }) =>
    answer(201, await passwordReset.createLink(caller, params.uid, address)),
});
