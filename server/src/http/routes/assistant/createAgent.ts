import { createAgent as operation } from '@trellis/contract/operations/agents.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const createAgent = jsonRoute(operation, async ({ caller, body, address }, { agents }) =>
  answer(201, await agents.create(caller, body, address)),
);
