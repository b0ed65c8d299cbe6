import { createEndpoint as operation } from '@trellis/contract/operations/endpoints.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const createEndpoint = jsonRoute(operation, async ({ caller, body }, { endpoints }) =>
  answer(201, await endpoints.create(caller, body)),
);
