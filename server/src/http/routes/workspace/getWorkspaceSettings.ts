import { getWorkspaceSettings as operation } from '@trellis/contract/operations/workspace.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getWorkspaceSettings = jsonRoute(operation, async ({ caller }, { workspace }) =>
  answer(200, await workspace.get(caller)),
);
