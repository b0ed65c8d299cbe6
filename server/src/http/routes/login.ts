import { operations } from '@trellis/contract/operations/login.ts';
import { answer, routesOf } from '../route.ts';
import { signInRoute } from '../sign-in-route.ts';

export const loginRoutes = routesOf(operations, {
  createLogin: signInRoute(
    operations.createLogin,
    async ({ body, address }, brought, { identity }) => {
      const { token, expiresAt, marks } = await identity.login(
        body.user,
        body.password,
        address,
        brought,
      );
      return { answer: answer(200, { token, expiresAt }), marks };
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
