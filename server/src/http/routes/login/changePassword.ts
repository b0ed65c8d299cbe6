import { changePassword as operation } from '@trellis/contract/operations/login.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const changePassword = jsonRoute(
  operation,
  async ({ caller, body, address }, { identity }) => {
    await identity.changePassword(caller, body, address);
    return answer(204);
  },
);
