import { checkLogin as operation } from '@trellis/contract/operations/login.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const checkLogin = jsonRoute(operation, async ({ caller }, { identity }) =>
  answer(200, await identity.check(caller)),
);
