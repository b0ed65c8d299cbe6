import { getEndpoint as operation } from '@trellis/contract/operations/endpoints.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getEndpoint = jsonRoute(operation, async ({ caller, params }, { endpoints }) =>
  answer(200, await endpoints.get(caller, params.name)),
);
