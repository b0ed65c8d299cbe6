import { getJob as operation } from '@trellis/contract/operations/jobs.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getJob = jsonRoute(operation, async ({ caller, params }, { jobs }) =>
  answer(200, await jobs.get(caller, params.id)),
);
