import { checkEndpoint as operation } from '@trellis/contract/operations/endpoints.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const checkEndpoint = jsonRoute(operation, async ({ caller, body }, { endpoints }) =>
  answer(200, await endpoints.check(caller, body)),
);
