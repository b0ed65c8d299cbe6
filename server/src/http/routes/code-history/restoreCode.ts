import { restoreCode as operation } from '@trellis/contract/operations/code-history.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const restoreCode = jsonRoute(
  operation,
  async ({ caller, params, body, address }, { codeHistory }) =>
    answer(200, await codeHistory.restore(caller, params, body, address)),
);
