import { getDatabaseStatistics as operation } from '@trellis/contract/operations/stats.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getDatabaseStatistics = jsonRoute(operation, async ({ caller }, { statistics }) =>
  answer(200, await statistics.database(caller)),
);
