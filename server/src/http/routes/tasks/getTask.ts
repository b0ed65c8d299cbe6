import { getTask as operation } from '@trellis/contract/operations/tasks.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getTask = jsonRoute(operation, async ({ caller, params }, { tasks }) =>
  answer(200, await tasks.get(caller, params.name)),
);
