import { createLogin as operation } from '@trellis/contract/operations/login.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const createLogin = jsonRoute(operation, async ({ body, address }, { identity }) =>
  answer(200, await identity.login(body.user, body.password, address)),
);
