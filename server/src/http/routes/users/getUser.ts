import { getUser as operation } from '@trellis/contract/operations/users.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getUser = jsonRoute(operation, async ({ caller, params }, { users }) =>
  answer(200, await users.get(caller, params.uid)),
);
