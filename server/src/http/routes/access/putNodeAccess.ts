import { putNodeAccess as operation } from '@trellis/contract/operations/access.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const putNodeAccess = jsonRoute(
  operation,
  async ({ caller, params, body, address }, { access }) =>
    answer(200, await access.putNode(caller, params.uid, body, address)),
);
