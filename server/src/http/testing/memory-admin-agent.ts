import type { HttpServices } from '../services.ts';

const AT = '2026-11-20T00:00:00.000Z';
const FILE = { UID: '2', Size: 3, ContentType: 'text/plain' };
const SESSION = { id: '1', title: '', createdAt: AT, messages: [], uploads: [], proposal: null };

/** One conversation, in which everything that is said is said back, and nothing is ever to be done. */
export function memoryAdminAgent(): HttpServices['adminAgent'] {
  return {
    create: async () => SESSION,
    list: (_caller, page) => {
      const { id, title, createdAt } = SESSION;
      const listed = { id, title, createdAt, updatedAt: AT, hasProposal: false };
      return { items: [listed], total: 1, ...page };
    },
    get: () => SESSION,
    delete: async () => {},
    ask: async (_id, { message, onBegin, onEvent }) => {
      onBegin?.();
      onEvent?.({ event: 'delta', data: { text: message } });
      const usage = { inputTokens: 1, outputTokens: 1 };
      return { answer: message, toolCalls: [], usage, model: 'm', ended: 'answer', proposal: null };
    },
    approve: async (_caller, _id, _approval, { onAccepted, log }) => {
      onAccepted();
      log('Approved: nothing.');
      return { committed: [], failed: null, notCommitted: [] };
    },
    reject: async () => {},
    checkOwn: () => {},
    upload: () => ({ write: async () => {}, end: async () => FILE, abort: async () => {} }),
  };
}
