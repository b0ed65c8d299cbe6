import { enableTask as operation } from '@trellis/contract/operations/tasks.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const enableTask = jsonRoute(operation, async ({ caller, params, address }, { tasks }) =>
  answer(200, await tasks.setEnabled(caller, params.name, true, address)),
);
