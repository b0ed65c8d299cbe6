import { getToolMetrics as operation } from '@trellis/contract/operations/tools.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getToolMetrics = jsonRoute(operation, async ({ caller }, { tools }) =>
  answer(200, await tools.metrics(caller)),
);
