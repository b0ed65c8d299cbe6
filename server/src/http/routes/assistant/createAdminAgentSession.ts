import { createAdminAgentSession as operation } from '@trellis/contract/operations/admin-agent.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const createAdminAgentSession = jsonRoute(operation, async ({ caller }, { adminAgent }) =>
  answer(201, await adminAgent.create(caller)),
);
