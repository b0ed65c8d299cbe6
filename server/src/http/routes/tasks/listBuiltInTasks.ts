import { listBuiltInTasks as operation } from '@trellis/contract/operations/tasks.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listBuiltInTasks = jsonRoute(operation, async ({ caller }, { tasks }) =>
  answer(200, await tasks.builtIns(caller)),
);
