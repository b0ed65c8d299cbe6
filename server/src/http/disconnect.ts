import type { FastifyReply } from 'fastify';

/**
 * Aborts when the connection closes before the answer is out: the client has gone, or the server stops. (The framework's
 * own signal follows the request, which also closes when its body has been read.)
 */
export function disconnectSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
