import { compareCode as operation } from '@trellis/contract/operations/code-history.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const compareCode = jsonRoute(operation, async ({ caller, params, body }, { codeHistory }) =>
  answer(200, await codeHistory.compare(caller, params, body)),
);
