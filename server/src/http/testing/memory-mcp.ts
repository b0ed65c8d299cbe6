import type { HttpServices } from '../services.ts';

/** Answers every message with nothing. */
export function memoryMcp(): HttpServices['mcp'] {
  return {
    answer: async ({ message }) =>
      Response.json({ jsonrpc: '2.0', id: Object(message).id, result: {} }),
  };
}
