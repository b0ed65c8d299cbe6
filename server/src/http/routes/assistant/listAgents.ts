import { listAgents as operation } from '@trellis/contract/operations/agents.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listAgents = jsonRoute(operation, async ({ caller, query }, { agents }) =>
  answer(200, await agents.list(caller, query)),
);
