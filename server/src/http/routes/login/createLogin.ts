import { createLogin as operation } from '@trellis/contract/operations/login.ts';
import { answer } from '../../answer.ts';
import { signInRoute } from '../../sign-in-route.ts';

export const createLogin = signInRoute(
  operation,
  async ({ body, address }, brought, { identity }) => {
    const { token, expiresAt, marks } = await identity.login(
      body.user,
      body.password,
      address,
      brought,
    );
    return { answer: answer(200, { token, expiresAt }), marks };
  },
);
