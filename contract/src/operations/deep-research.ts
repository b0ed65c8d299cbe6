import { CHANGE_ERRORS, type Rows, STORE_ERRORS, withIds } from '../operation.ts';
import {
  chatInPath,
  chatInQuery,
  researchSettings,
  researchSettingsChange,
  researchStart,
} from '../shapes/deep-research.ts';
import { job, jobWithLog } from '../shapes/job.ts';

export const operations = withIds({
  startDeepResearch: {
    sdk: 'deepResearch.start',
    area: 'assistant',
    method: 'POST',
    path: '/api/chatai/deep-research/start',
    auth: 'session',
    noGuests: true,
    body: researchStart,
    responses: {
      202: { description: 'Its job, under way or waiting for others to end.', body: jobWithLog },
    },
    errors: [
      'chat_not_found',
      'chat_busy',
      'chat_limit_reached',
      'research_running',
      'research_queue_full',
      'llm_not_configured',
      ...STORE_ERRORS,
    ],
    onReplica: 'redirect',
    summary: 'Have a question studied at length; the report comes into the chat.',
  },

  getDeepResearch: {
    sdk: 'deepResearch.get',
    area: 'assistant',
    method: 'GET',
    path: '/api/chatai/chats/{uid}/deep-research',
    auth: 'session',
    noGuests: true,
    params: chatInPath,
    responses: { 200: { description: 'The job of the research.', body: jobWithLog } },
    errors: ['research_not_found'],
    onReplica: 'redirect',
    summary: 'Tell of the research that is under way or waiting in a chat.',
  },

  getResearchSettings: {
    sdk: 'deepResearch.getSettings',
    area: 'assistant',
    method: 'GET',
    path: '/api/chatai/deep-research/settings',
    auth: 'admin',
    responses: {
      200: {
        description: 'Limits, researchers, and what is under way and waiting.',
        body: researchSettings,
      },
    },
    errors: [],
    onReplica: 'redirect',
    summary: 'Tell how far researches may go, who does them, and which are under way.',
  },

  putResearchSettings: {
    sdk: 'deepResearch.putSettings',
    area: 'assistant',
    method: 'POST',
    path: '/api/chatai/deep-research/settings',
    auth: 'admin-write',
    body: researchSettingsChange,
    responses: { 200: { description: 'The settings after the change.', body: researchSettings } },
    errors: [...CHANGE_ERRORS],
    onReplica: 'redirect',
    summary: 'Change limits and researchers; zero, or an empty list, brings back the default.',
  },

  cancelDeepResearch: {
    sdk: 'deepResearch.cancel',
    area: 'assistant',
    method: 'POST',
    path: '/api/chatai/deep-research/cancel',
    auth: 'admin-write',
    query: chatInQuery,
    responses: { 202: { description: 'It is asked to end, and does a moment later.', body: job } },
    errors: ['research_not_found'],
    onReplica: 'redirect',
    summary: 'Stop the research that is under way or waiting in a chat.',
  },
} as const satisfies Rows);
