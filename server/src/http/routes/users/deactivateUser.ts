import { deactivateUser as operation } from '@trellis/contract/operations/users.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const deactivateUser = jsonRoute(
  operation,
  async ({ caller, params, address }, { users }) => {
    await users.deactivate(caller, params.uid, address);
    return answer(204);
  },
);
