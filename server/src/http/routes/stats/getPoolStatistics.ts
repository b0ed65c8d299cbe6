import { getPoolStatistics as operation } from '@trellis/contract/operations/stats.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getPoolStatistics = jsonRoute(operation, async ({ caller }, { statistics }) =>
  answer(200, await statistics.pool(caller)),
);
