import { getCodeVersion as operation } from '@trellis/contract/operations/code-history.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getCodeVersion = jsonRoute(
  operation,
  async ({ caller, params, query }, { codeHistory }) =>
    answer(200, await codeHistory.version(caller, params, query.version)),
);
