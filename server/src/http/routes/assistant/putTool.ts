import { putTool as operation } from '@trellis/contract/operations/tools.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const putTool = jsonRoute(operation, async ({ caller, params, body, address }, { tools }) =>
  answer(200, await tools.put(caller, params.name, body, address)),
);
