import { resetPassword as operation } from '@trellis/contract/operations/login.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const resetPassword = jsonRoute(operation, ({ body, address }, { passwordReset }) => {
  passwordReset.request(body.email, address);
  return answer(202, {});
});
