import { CHANGE_ERRORS, type Rows, withIds } from '../operation.ts';
import {
  aiProviders,
  aiProvidersChange,
  assistantSettings,
  assistantSettingsChange,
} from '../shapes/assistant.ts';

export const operations = withIds({
  getAiProviders: {
    sdk: 'aiProviders.get',
    area: 'assistant',
    method: 'GET',
    path: '/api/chatai/providers',
    auth: 'admin',
    responses: { 200: { description: 'The providers, without their keys.', body: aiProviders } },
    errors: [],
    onReplica: 'serve',
    summary: 'Read which servers are asked for what models do.',
  },

  putAiProviders: {
    sdk: 'aiProviders.put',
    area: 'assistant',
    method: 'PUT',
    path: '/api/chatai/providers',
    auth: 'admin-write',
    body: aiProvidersChange,
    responses: { 200: { description: 'The providers after the change.', body: aiProviders } },
    errors: [...CHANGE_ERRORS],
    onReplica: 'redirect',
    summary: 'Say which servers are asked for what models do; what is left out stays as it is.',
  },

  getAssistantSettings: {
    sdk: 'assistant.getSettings',
    area: 'assistant',
    method: 'GET',
    path: '/api/chatai/settings',
    auth: 'admin',
    responses: { 200: { description: 'The settings.', body: assistantSettings } },
    errors: [],
    onReplica: 'serve',
    summary: 'Read what every model of the assistant is told, and which one judges answers.',
  },

  putAssistantSettings: {
    sdk: 'assistant.putSettings',
    area: 'assistant',
    method: 'PUT',
    path: '/api/chatai/settings',
    auth: 'admin-write',
    body: assistantSettingsChange,
    responses: { 200: { description: 'The settings after the change.', body: assistantSettings } },
    errors: [...CHANGE_ERRORS],
    onReplica: 'redirect',
    summary:
      'Say what every model of the assistant is told, and which one judges answers; what is left out stays as it is.',
  },
} as const satisfies Rows);
