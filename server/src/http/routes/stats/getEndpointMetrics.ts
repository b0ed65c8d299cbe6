import { getEndpointMetrics as operation } from '@trellis/contract/operations/stats.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getEndpointMetrics = jsonRoute(operation, async ({ caller }, { statistics }) =>
  answer(200, await statistics.endpoints(caller)),
);
