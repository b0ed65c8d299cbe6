import type { Operation } from '../operation.ts';
import { workspaceSettings, workspaceSettingsChange } from '../shapes/workspace.ts';

export const getWorkspaceSettings = {
  id: 'getWorkspaceSettings',
  sdk: 'workspace.getSettings',
  area: 'workspace',
  method: 'GET',
  path: '/api/workspace/settings',
  auth: 'admin',
  responses: { 200: { description: 'The settings.', body: workspaceSettings } },
  errors: [],
  onReplica: 'serve',
  summary: 'Read the settings of the workspace.',
} as const satisfies Operation;

export const putWorkspaceSettings = {
  id: 'putWorkspaceSettings',
  sdk: 'workspace.putSettings',
  area: 'workspace',
  method: 'PUT',
  path: '/api/workspace/settings',
  auth: 'admin-write',
  body: workspaceSettingsChange,
  responses: { 200: { description: 'The settings after the change.', body: workspaceSettings } },
  errors: ['version_conflict', 'storage_failed', 'storage_full'],
  onReplica: 'redirect',
  summary: 'Change settings of the workspace; what is left out stays as it is.',
} as const satisfies Operation;
