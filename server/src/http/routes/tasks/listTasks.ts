import { listTasks as operation } from '@trellis/contract/operations/tasks.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listTasks = jsonRoute(operation, async ({ caller, query }, { tasks }) =>
  answer(200, await tasks.list(caller, query)),
);
