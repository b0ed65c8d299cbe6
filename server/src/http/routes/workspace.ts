import { operations } from '@trellis/contract/operations/workspace.ts';
import { answer, routesOf } from '../route.ts';

export const workspaceRoutes = routesOf(operations, {
  getWorkspaceSettings: async ({ caller }, { workspace }) =>
    answer(200, await workspace.get(caller)),
  putWorkspaceSettings: async ({ caller, body, address }, { workspace }) =>
    answer(200, await workspace.put(caller, body, address)),
});
