import { CHANGE_ERRORS, type Rows, withIds } from '../operation.ts';
import { workspaceSettings, workspaceSettingsChange } from '../shapes/workspace.ts';

export const operations = withIds({
  getWorkspaceSettings: {
    sdk: 'workspace.getSettings',
    area: 'workspace',
    method: 'GET',
    path: '/api/workspace/settings',
    auth: 'admin',
    responses: { 200: { description: 'The settings.', body: workspaceSettings } },
    errors: [],
    onReplica: 'serve',
    summary: 'Read the settings of the workspace.',
  },

  putWorkspaceSettings: {
    sdk: 'workspace.putSettings',
    area: 'workspace',
    method: 'PUT',
    path: '/api/workspace/settings',
    auth: 'admin-write',
    body: workspaceSettingsChange,
    responses: { 200: { description: 'The settings after the change.', body: workspaceSettings } },
    errors: [...CHANGE_ERRORS],
    onReplica: 'redirect',
    summary: 'Change settings of the workspace; what is left out stays as it is.',
  },
} as const satisfies Rows);
