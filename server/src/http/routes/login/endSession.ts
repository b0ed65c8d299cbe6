import { endSession as operation } from '@trellis/contract/operations/login.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const endSession = jsonRoute(operation, async ({ caller, address }, { identity }) => {
  await identity.endSession(caller, address);
  return answer(204);
});
