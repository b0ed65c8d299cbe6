import { checkTaskSchedule as operation } from '@trellis/contract/operations/tasks.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const checkTaskSchedule = jsonRoute(operation, async ({ caller, body }, { tasks }) =>
  answer(200, await tasks.check(caller, body)),
);
