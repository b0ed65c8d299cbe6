import type { HttpServices } from '../services.ts';

const AT = '2026-11-20T00:00:00.000Z';
const CHAT = { UID: '1', title: 'Hello', createdAt: AT, updatedAt: AT, isBusy: false };
const USAGE = { inputTokens: 2, outputTokens: 1 };

/** One conversation, in which everything that is said is said back. */
export function memoryChat(): HttpServices['chat'] {
  return {
    say: async ({ message = '' }, { onBegin, onEvent }) => {
      onBegin({ chatUID: CHAT.UID, messageUID: '3' });
      onEvent({ event: 'delta', data: { text: message } });
      return {
        chatUID: CHAT.UID,
        messageUID: '3',
        answer: message,
        citations: [],
        toolCalls: [],
        usage: USAGE,
        model: 'm',
        ended: 'answer',
      };
    },
    options: () => ({
      isConfigured: true,
      model: 'm',
      models: ['m'],
      tools: [{ name: 'lookup', description: 'Looks a word up.' }],
    }),
    create: async (_caller, title = '') => ({ ...CHAT, title }),
    list: (_caller, { skip, take }) => ({ items: [CHAT], total: 1, skip, take }),
    get: () => ({
      ...CHAT,
      messages: [{ UID: '2', role: 'user', text: 'Hello', at: AT, viewingUID: null }],
    }),
    rename: async (_caller, _uid, title) => ({ ...CHAT, title }),
    delete: async () => {},
    stop: async () => {},
    rate: async () => {},
  };
}
