import { getAgent as operation } from '@trellis/contract/operations/agents.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getAgent = jsonRoute(operation, async ({ caller, params }, { agents }) =>
  answer(200, await agents.get(caller, params.name)),
);
