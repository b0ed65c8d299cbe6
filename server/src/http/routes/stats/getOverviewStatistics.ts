import { getOverviewStatistics as operation } from '@trellis/contract/operations/stats.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getOverviewStatistics = jsonRoute(operation, async ({ caller }, { statistics }) =>
  answer(200, await statistics.overview(caller)),
);
