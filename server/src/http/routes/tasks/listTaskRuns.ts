import { listTaskRuns as operation } from '@trellis/contract/operations/tasks.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listTaskRuns = jsonRoute(operation, async ({ caller, params, query }, { tasks }) =>
  answer(200, await tasks.runs(caller, params.name, query)),
);
