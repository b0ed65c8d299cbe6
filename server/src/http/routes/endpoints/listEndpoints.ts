import { listEndpoints as operation } from '@trellis/contract/operations/endpoints.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listEndpoints = jsonRoute(operation, async ({ caller, query }, { endpoints }) =>
  answer(200, await endpoints.list(caller, query)),
);
