import { z } from 'zod';
import { MODEL_ERRORS, type Rows, STORE_ERRORS, withIds } from '../operation.ts';
import {
  chat,
  chatAnswer,
  chatChange,
  chatFeedback,
  chatFeedbackInPath,
  chatFeedbackItem,
  chatFeedbackQuery,
  chatInPath,
  chatListQuery,
  chatMessageInPath,
  chatOptions,
  chatSummary,
  chatTurn,
  newChat,
  ratedConversation,
} from '../shapes/chat.ts';
import { eventStreamHeaders, listOf } from '../shapes/list.ts';

const own = { area: 'assistant', auth: 'session', noGuests: true, onReplica: 'redirect' } as const;
const shown = { area: 'assistant', auth: 'admin', onReplica: 'serve' } as const;

export const operations = withIds({
  /**
   * JSON, or with `Accept: text/event-stream` Server-Sent Events: `delta`, more of the text;
   * `tool`, a call of a tool has begun or ended; `result`, exactly the JSON answer; `done`, the
   * last. What fails once the stream has begun is the event `error`, whose data is an error body,
   * instead of `result`. The header `MSK-CHAT` tells the conversation before the answer is there.
   * Whoever closes the connection stops the turn, unless it runs in the `background`.
   */
  sendChatMessage: {
    ...own,
    sdk: 'chats.send',
    method: 'POST',
    path: '/api/chatai/chat',
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
      ...MODEL_ERRORS,
      'llm_timeout',
      'too_many_requests',
      ...STORE_ERRORS,
    ],
    summary: 'Say something to the assistant, in a new conversation or in one that there is.',
  },

  getChatOptions: {
    ...own,
    sdk: 'chats.getOptions',
    method: 'GET',
    path: '/api/chatai/options',
    responses: { 200: { description: 'Models and tools.', body: chatOptions } },
    errors: [],
    summary: 'Tell which models and tools a turn of the caller may name.',
  },

  createChat: {
    ...own,
    sdk: 'chats.create',
    method: 'POST',
    path: '/api/chatai/chats',
    body: newChat,
    responses: { 201: { description: 'The conversation, without a message.', body: chatSummary } },
    errors: ['chat_limit_reached', ...STORE_ERRORS],
    summary: 'Begin a conversation before anything is said in it.',
  },

  listChats: {
    ...own,
    sdk: 'chats.list',
    method: 'GET',
    path: '/api/chatai/chats',
    query: chatListQuery,
    responses: { 200: { description: 'The last used first.', body: listOf(chatSummary) } },
    errors: [],
    summary: "List the caller's conversations with the assistant.",
  },

  getChat: {
    ...own,
    sdk: 'chats.get',
    method: 'GET',
    path: '/api/chatai/chats/{uid}',
    params: chatInPath,
    responses: { 200: { description: 'The conversation with its messages.', body: chat } },
    errors: ['chat_not_found'],
    summary: 'Read a conversation, with what its citations and tools show to the caller now.',
  },

  putChat: {
    ...own,
    sdk: 'chats.put',
    method: 'PUT',
    path: '/api/chatai/chats/{uid}',
    params: chatInPath,
    body: chatChange,
    responses: { 200: { description: 'The conversation after the change.', body: chatSummary } },
    errors: ['chat_not_found', ...STORE_ERRORS],
    summary: 'Give a conversation another title.',
  },

  deleteChat: {
    ...own,
    sdk: 'chats.delete',
    method: 'DELETE',
    path: '/api/chatai/chats/{uid}',
    params: chatInPath,
    responses: { 204: { description: 'It is gone with its messages.' } },
    errors: ['chat_not_found', ...STORE_ERRORS],
    summary: 'Delete a conversation; an answer that is under way is stopped.',
  },

  /**
   * Server-Sent Events, each with an id: `begun` says which answer it is, `{messageUID}`; then
   * `delta` and `tool` as of `sendChatMessage`, first what there is already, then the rest as it
   * comes. `end` is the last: the answer is in the conversation then, or none was under way. The
   * header `Last-Event-ID` says what is known already.
   */
  watchChat: {
    ...own,
    sdk: 'chats.watch',
    method: 'GET',
    path: '/api/chatai/chats/{uid}/events',
    params: chatInPath,
    headers: eventStreamHeaders,
    responses: {
      200: {
        description: 'Events until no answer of a turn is under way.',
        body: z.string(),
        contentType: 'text/event-stream',
      },
    },
    errors: ['chat_not_found', 'too_many_requests'],
    summary: 'Watch the answer that is under way, such as after a page was loaded again.',
  },

  stopChat: {
    ...own,
    sdk: 'chats.stop',
    method: 'POST',
    path: '/api/chatai/chats/{uid}/stop',
    params: chatInPath,
    responses: { 204: { description: 'No answer is under way any more.' } },
    errors: ['chat_not_found'],
    summary: 'Stop the answer that is under way; what was said so far is kept.',
  },

  putChatFeedback: {
    ...own,
    sdk: 'chats.putFeedback',
    method: 'PUT',
    path: '/api/chatai/chats/{uid}/messages/{messageUID}/feedback',
    params: chatMessageInPath,
    body: chatFeedback,
    responses: { 204: { description: 'It is kept.' } },
    errors: ['chat_not_found', 'chat_message_not_found', ...STORE_ERRORS],
    summary:
      'Say what is thought of an answer, which shows the conversation up to it to administrators, or take it back.',
  },

  listChatFeedback: {
    ...shown,
    sdk: 'chats.listFeedback',
    method: 'GET',
    path: '/api/chatai/feedback',
    query: chatFeedbackQuery,
    responses: { 200: { description: 'The newest answer first.', body: listOf(chatFeedbackItem) } },
    errors: [],
    summary: 'List what users think of answers.',
  },

  /** The audit trail has each reading, so it is the primary that answers. */
  getChatFeedback: {
    ...shown,
    sdk: 'chats.getFeedback',
    onReplica: 'redirect',
    method: 'GET',
    path: '/api/chatai/feedback/{messageUID}',
    params: chatFeedbackInPath,
    responses: {
      200: { description: 'The conversation up to the answer.', body: ratedConversation },
    },
    errors: ['chat_feedback_not_found', ...STORE_ERRORS],
    summary: 'Read the conversation that a user shows by rating an answer.',
  },
} as const satisfies Rows);
