import { operations } from '@trellis/contract/operations/login.ts';
import { answer, routesOf } from '../route.ts';
import { signInRoute } from '../sign-in-route.ts';

export const loginRoutes = routesOf(operations, {
  createLogin: signInRoute(
    operations.createLogin,
    async ({ body, address, visitor }, { identity }) => {
      const { user, password } = body;
      const { marks, ...session } = await identity.login(user, password, address, visitor.marks);
      return { answer: answer(200, session), marks };
    },
  ),
  checkLogin: async ({ caller }, { identity }) => answer(200, await identity.check(caller)),
  changePassword: async ({ caller, body, address }, { identity }) => {
    await identity.changePassword(caller, body, address);
    return answer(204);
  },
  resetPassword: ({ body, address }, { passwordReset }) => {
    passwordReset.request(body.email, address);
    return answer(202, {});
  },
  completePasswordReset: async ({ body, address }, { passwordReset }) => {
    await passwordReset.complete(body, address);
    return answer(204);
  },
  endSession: async ({ caller, address }, { identity }) => {
    await identity.endSession(caller, address);
    return answer(204);
  },
});
