import { listUsers as operation } from '@trellis/contract/operations/users.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listUsers = jsonRoute(operation, async ({ caller, query }, { users }) =>
  answer(200, await users.list(caller, query)),
);
