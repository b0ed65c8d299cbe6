import { runTask as operation } from '@trellis/contract/operations/tasks.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const runTask = jsonRoute(operation, async ({ caller, params, address }, { tasks }) =>
  answer(202, await tasks.run(caller, params.name, address)),
);
