import { z } from 'zod';
import { MODEL_ERRORS, type Rows, STORE_ERRORS, withIds } from '../operation.ts';
import {
  adminAgentAnswer,
  adminAgentApproval,
  adminAgentSession,
  adminAgentSessionInPath,
  adminAgentSessionListed,
  adminAgentTurn,
  fileEntry,
} from '../shapes/admin-agent.ts';
import { listOf, pageQuery } from '../shapes/list.ts';

const writes = { area: 'assistant', auth: 'admin-write', onReplica: 'redirect' } as const;

export const operations = withIds({
  createAdminAgentSession: {
    ...writes,
    sdk: 'adminAgent.createSession',
    method: 'POST',
    path: '/api/admin-agent/sessions',
    responses: { 201: { description: 'An empty conversation.', body: adminAgentSession } },
    errors: [...STORE_ERRORS],
    summary: 'Begin a conversation with the admin agent.',
  },

  listAdminAgentSessions: {
    sdk: 'adminAgent.listSessions',
    area: 'assistant',
    method: 'GET',
    path: '/api/admin-agent/sessions',
    auth: 'admin',
    query: pageQuery,
    responses: {
      200: { description: 'Conversations, newest first.', body: listOf(adminAgentSessionListed) },
    },
    errors: [],
    onReplica: 'redirect',
    summary: 'List your own conversations with the admin agent.',
  },

  getAdminAgentSession: {
    sdk: 'adminAgent.getSession',
    area: 'assistant',
    method: 'GET',
    path: '/api/admin-agent/sessions/{id}',
    auth: 'admin',
    params: adminAgentSessionInPath,
    responses: { 200: { description: 'The conversation.', body: adminAgentSession } },
    errors: ['session_not_found'],
    onReplica: 'redirect',
    summary: 'Read a conversation of your own with what it proposes.',
  },

  deleteAdminAgentSession: {
    ...writes,
    sdk: 'adminAgent.deleteSession',
    method: 'DELETE',
    path: '/api/admin-agent/sessions/{id}',
    params: adminAgentSessionInPath,
    responses: { 204: { description: 'It is gone, with the files uploaded to it.' } },
    errors: ['session_not_found', 'session_busy', ...STORE_ERRORS],
    summary: 'Delete a conversation and its files.',
  },

  /**
   * JSON; where `Accept` asks for `text/event-stream`, events: `delta`, `tool`, `result` and `done`
   * as those of `sendChatMessage`; what fails once the stream has begun is the event `error`, whose
   * data is an error body, instead of `result`. Whoever closes the connection stops the turn.
   */
  sendAdminAgentMessage: {
    ...writes,
    sdk: 'adminAgent.send',
    method: 'POST',
    path: '/api/admin-agent/sessions/{id}/messages',
    params: adminAgentSessionInPath,
    body: adminAgentTurn,
    responses: {
      200: { description: 'What the agent answers.', body: adminAgentAnswer, orEvents: true },
    },
    errors: [
      'session_not_found',
      'session_busy',
      ...MODEL_ERRORS,
      'too_many_requests',
      ...STORE_ERRORS,
    ],
    summary: 'Ask the admin agent, which reads definitions and proposes changes of them.',
  },

  /**
   * The one part of the form that has a file name is the file; there must be nothing else in it.
   */
  uploadAdminAgentFile: {
    ...writes,
    sdk: 'adminAgent.uploadFile',
    method: 'POST',
    path: '/api/admin-agent/sessions/{id}/uploads',
    params: adminAgentSessionInPath,
    body: z.file(),
    consumes: ['multipart/form-data'],
    responses: { 201: { description: 'The file as it is kept.', body: fileEntry } },
    errors: ['session_not_found', 'file_exists', 'too_many_files', ...STORE_ERRORS],
    summary: 'Upload a file that the admin agent reads.',
  },

  /**
   * Server-Sent Events (specification, section 6.1): `log` has one step as `{text}`, `result` what
   * was done, as `adminAgentCommit`, and `done`, which is empty, is the last. The work goes on when
   * the client leaves.
   */
  approveAdminAgentCommit: {
    ...writes,
    sdk: 'adminAgent.approveCommit',
    method: 'POST',
    path: '/api/admin-agent/sessions/{id}/commit/approve',
    params: adminAgentSessionInPath,
    body: adminAgentApproval,
    responses: {
      200: {
        description: 'Events until all is done.',
        body: z.string(),
        contentType: 'text/event-stream',
      },
    },
    errors: [
      'session_not_found',
      'session_busy',
      'no_proposal',
      'proposal_not_valid',
      'access_widened',
      'version_conflict',
      'too_many_requests',
    ],
    summary: 'Do what the admin agent has proposed.',
  },

  rejectAdminAgentCommit: {
    ...writes,
    sdk: 'adminAgent.rejectCommit',
    method: 'POST',
    path: '/api/admin-agent/sessions/{id}/commit/reject',
    params: adminAgentSessionInPath,
    responses: { 204: { description: 'The proposal is dropped.' } },
    errors: ['session_not_found', 'session_busy', 'no_proposal', ...STORE_ERRORS],
    summary: 'Drop what the admin agent has proposed.',
  },
} as const satisfies Rows);
