import type { ErrorGroup } from './entry.ts';

/** Conversations with the assistant. */
export const chatErrors = {
  chat_not_found: {
    status: 404,
    title: 'Conversation not found',
    hint: 'GET /api/chatai/chats lists your own.',
  },
  chat_message_not_found: {
    status: 404,
    title: 'Message not found',
    hint: 'GET /api/chatai/chats/{uid} lists those of the conversation.',
  },
  chat_busy: {
    status: 409,
    title: 'An answer is under way',
    hint: 'Wait for it, or stop it with POST /api/chatai/chats/{uid}/stop.',
  },
  chat_limit_reached: {
    status: 409,
    title: 'Too many conversations or messages',
    hint: 'Begin a new conversation; delete those that are not needed any more.',
  },
} as const satisfies ErrorGroup;
