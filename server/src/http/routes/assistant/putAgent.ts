import { putAgent as operation } from '@trellis/contract/operations/agents.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const putAgent = jsonRoute(
  operation,
  async ({ caller, params, body, address }, { agents }) =>
    answer(200, await agents.put(caller, params.name, body, address)),
);
