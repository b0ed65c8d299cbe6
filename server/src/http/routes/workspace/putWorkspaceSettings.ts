import { putWorkspaceSettings as operation } from '@trellis/contract/operations/workspace.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const putWorkspaceSettings = jsonRoute(
  operation,
  async ({ caller, body, address }, { workspace }) =>
    answer(200, await workspace.put(caller, body, address)),
);
