import { recordInputs as operation } from '@trellis/contract/operations/code-history.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const recordInputs = jsonRoute(
  operation,
  async ({ caller, params, body, address }, { codeHistory }) =>
    answer(200, await codeHistory.recordInputs(caller, params, body.keep, address)),
);
