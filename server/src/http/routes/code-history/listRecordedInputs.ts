import { listRecordedInputs as operation } from '@trellis/contract/operations/code-history.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listRecordedInputs = jsonRoute(
  operation,
  async ({ caller, params }, { codeHistory }) =>
    answer(200, await codeHistory.inputs(caller, params)),
);
