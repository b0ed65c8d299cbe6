import { listTools as operation } from '@trellis/contract/operations/tools.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listTools = jsonRoute(operation, async ({ caller, query }, { tools }) =>
  answer(200, await tools.list(caller, query)),
);
