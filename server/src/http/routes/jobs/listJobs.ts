import { listJobs as operation } from '@trellis/contract/operations/jobs.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listJobs = jsonRoute(operation, async ({ caller, query }, { jobs }) =>
  answer(200, await jobs.list(caller, query)),
);
