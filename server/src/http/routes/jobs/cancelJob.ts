import { cancelJob as operation } from '@trellis/contract/operations/jobs.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const cancelJob = jsonRoute(operation, async ({ caller, params }, { jobs }) =>
  answer(202, await jobs.cancel(caller, params.id)),
);
