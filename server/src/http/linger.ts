import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * When an answer goes out before the body is in, the sender gets a while to read it: closing at once would reset the
 * connection under its hands and lose the answer. A sender that just goes on is cut off.
 */
export function lingerAfter(request: FastifyRequest, reply: FastifyReply, lingerMs: number): void {
  const { raw, socket } = request;
  if (raw.complete) return;
  reply.raw.once('finish', () => {
    if (raw.complete) return;
    const timer = setTimeout(() => {
      if (!raw.complete) socket.destroy();
    }, lingerMs);
    raw.once('close', () => clearTimeout(timer));
  });
}
