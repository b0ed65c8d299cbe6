import type { Operation } from '../operation.ts';
import {
  chat,
  chatAnswer,
  chatChange,
  chatFeedback,
  chatInPath,
  chatListQuery,
  chatMessageInPath,
  chatOptions,
  chatSummary,
  chatTurn,
  newChat,
} from '../shapes/chat.ts';
import { listOf } from '../shapes/list.ts';

/**
 * JSON, or with `Accept: text/event-stream` Server-Sent Events: `delta`, more of the text; `tool`, a call of a tool has begun or
 * ended; `result`, exactly the JSON answer; `done`, the last. What fails once the stream has begun is the event `error`, whose data
 * is an error body, instead of `result`. The header `MSK-CHAT` tells the conversation before the answer is there. Whoever closes the
 * connection stops the turn.
 */
export const sendChatMessage = {
  id: 'sendChatMessage',
  sdk: 'chats.send',
  area: 'assistant',
  method: 'POST',
  path: '/api/chatai/chat',
  auth: 'session',
  noGuests: true,
  body: chatTurn,
  responses: {
    200: {
      description: 'The answer, or its events.',
      body: chatAnswer,
      orEvents: true,
      headers: ['MSK-CHAT'],
    },
  },
  errors: [
    'chat_not_found',
    'chat_message_not_found',
    'chat_busy',
    'chat_limit_reached',
    'node_not_found',
    'llm_not_configured',
    'model_not_found',
    'llm_quota_exceeded',
    'llm_request_refused',
    'llm_busy',
    'llm_unavailable',
    'llm_misconfigured',
    'llm_timeout',
    'too_many_requests',
    'storage_failed',
    'storage_full',
  ],
  onReplica: 'redirect',
  summary: 'Say something to the assistant, in a new conversation or in one that there is.',
} as const satisfies Operation;

export const getChatOptions = {
  id: 'getChatOptions',
  sdk: 'chats.getOptions',
  area: 'assistant',
  method: 'GET',
  path: '/api/chatai/options',
  auth: 'session',
  noGuests: true,
  responses: { 200: { description: 'Models and tools.', body: chatOptions } },
  errors: [],
  onReplica: 'redirect',
  summary: 'Tell which models and tools a turn of the caller may name.',
} as const satisfies Operation;

export const createChat = {
  id: 'createChat',
  sdk: 'chats.create',
  area: 'assistant',
  method: 'POST',
  path: '/api/chatai/chats',
  auth: 'session',
  noGuests: true,
  body: newChat,
  responses: { 201: { description: 'The conversation, without a message.', body: chatSummary } },
  errors: ['chat_limit_reached', 'storage_failed', 'storage_full'],
  onReplica: 'redirect',
  summary: 'Begin a conversation before anything is said in it.',
} as const satisfies Operation;

export const listChats = {
  id: 'listChats',
  sdk: 'chats.list',
  area: 'assistant',
  method: 'GET',
  path: '/api/chatai/chats',
  auth: 'session',
  noGuests: true,
  query: chatListQuery,
  responses: { 200: { description: 'The last used first.', body: listOf(chatSummary) } },
  errors: [],
  onReplica: 'redirect',
  summary: "List the caller's conversations with the assistant.",
} as const satisfies Operation;

export const getChat = {
  id: 'getChat',
  sdk: 'chats.get',
  area: 'assistant',
  method: 'GET',
  path: '/api/chatai/chats/{uid}',
  auth: 'session',
  noGuests: true,
  params: chatInPath,
  responses: { 200: { description: 'The conversation with its messages.', body: chat } },
  errors: ['chat_not_found'],
  onReplica: 'redirect',
  summary: 'Read a conversation, with what its citations and tools show to the caller now.',
} as const satisfies Operation;

export const putChat = {
  id: 'putChat',
  sdk: 'chats.put',
  area: 'assistant',
  method: 'PUT',
  path: '/api/chatai/chats/{uid}',
  auth: 'session',
  noGuests: true,
  params: chatInPath,
  body: chatChange,
  responses: { 200: { description: 'The conversation after the change.', body: chatSummary } },
  errors: ['chat_not_found', 'storage_failed', 'storage_full'],
  onReplica: 'redirect',
  summary: 'Give a conversation another title.',
} as const satisfies Operation;

export const deleteChat = {
  id: 'deleteChat',
  sdk: 'chats.delete',
  area: 'assistant',
  method: 'DELETE',
  path: '/api/chatai/chats/{uid}',
  auth: 'session',
  noGuests: true,
  params: chatInPath,
  responses: { 204: { description: 'It is gone with its messages.' } },
  errors: ['chat_not_found', 'storage_failed', 'storage_full'],
  onReplica: 'redirect',
  summary: 'Delete a conversation; an answer that is under way is stopped.',
} as const satisfies Operation;

export const stopChat = {
  id: 'stopChat',
  sdk: 'chats.stop',
  area: 'assistant',
  method: 'POST',
  path: '/api/chatai/chats/{uid}/stop',
  auth: 'session',
  noGuests: true,
  params: chatInPath,
  responses: { 204: { description: 'No answer is under way any more.' } },
  errors: ['chat_not_found'],
  onReplica: 'redirect',
  summary: 'Stop the answer that is under way; what was said so far is kept.',
} as const satisfies Operation;

export const putChatFeedback = {
  id: 'putChatFeedback',
  sdk: 'chats.putFeedback',
  area: 'assistant',
  method: 'PUT',
  path: '/api/chatai/chats/{uid}/messages/{messageUID}/feedback',
  auth: 'session',
  noGuests: true,
  params: chatMessageInPath,
  body: chatFeedback,
  responses: { 204: { description: 'It is kept.' } },
  errors: ['chat_not_found', 'chat_message_not_found', 'storage_failed', 'storage_full'],
  onReplica: 'redirect',
  summary: 'Say what is thought of an answer, or take it back.',
} as const satisfies Operation;
