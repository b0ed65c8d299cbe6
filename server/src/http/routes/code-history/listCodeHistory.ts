import { listCodeHistory as operation } from '@trellis/contract/operations/code-history.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listCodeHistory = jsonRoute(operation, async ({ caller, query }, { codeHistory }) =>
  answer(200, await codeHistory.list(caller, query)),
);
