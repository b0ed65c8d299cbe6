import { revokeToken as operation } from '@trellis/contract/operations/tokens.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const revokeToken = jsonRoute(operation, async ({ caller, params, address }, { tokens }) => {
  await tokens.revoke(caller, params.id, address);
  return answer(204);
});
