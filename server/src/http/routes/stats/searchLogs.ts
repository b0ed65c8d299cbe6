import { searchLogs as operation } from '@trellis/contract/operations/logs.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const searchLogs = jsonRoute(operation, async ({ query }, { logs }) =>
  answer(200, await logs.search(query)),
);
