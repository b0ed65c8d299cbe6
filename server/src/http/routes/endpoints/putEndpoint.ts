import { putEndpoint as operation } from '@trellis/contract/operations/endpoints.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const putEndpoint = jsonRoute(operation, async ({ caller, params, body }, { endpoints }) =>
  answer(200, await endpoints.put(caller, params.name, body)),
);
