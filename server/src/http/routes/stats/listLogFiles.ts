import { listLogFiles as operation } from '@trellis/contract/operations/logs.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listLogFiles = jsonRoute(operation, async (_input, { logs }) =>
  answer(200, await logs.files()),
);
