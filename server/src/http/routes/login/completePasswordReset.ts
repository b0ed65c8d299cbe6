import { completePasswordReset as operation } from '@trellis/contract/operations/login.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const completePasswordReset = jsonRoute(
  operation,
  async ({ body, address }, { passwordReset }) => {
    await passwordReset.complete(body, address);
    return answer(204);
  },
);
