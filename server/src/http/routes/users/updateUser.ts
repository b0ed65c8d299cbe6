import { updateUser as operation } from '@trellis/contract/operations/users.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const updateUser = jsonRoute(
  operation,
  async ({ caller, params, body, address }, { users }) =>
    answer(200, await users.update(caller, params.uid, body, address)),
);
