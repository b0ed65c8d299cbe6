import { putTask as operation } from '@trellis/contract/operations/tasks.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const putTask = jsonRoute(operation, async ({ caller, params, body, address }, { tasks }) =>
  answer(200, await tasks.put(caller, params.name, body, address)),
);
