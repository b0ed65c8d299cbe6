import { createTool as operation } from '@trellis/contract/operations/tools.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const createTool = jsonRoute(operation, async ({ caller, body, address }, { tools }) =>
  answer(201, await tools.create(caller, body, address)),
);
