import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * When an answer goes out before the body is in, the sender gets a while to read it: closing at once would reset the
 * connection under its hands and lose the answer. What still arrives is thrown away, so that the connection can go on
 * with the next request; a sender that does not come to an end is cut off.
 */
export function lingerAfter(request: FastifyRequest, reply: FastifyReply, lingerMs: number): void {
  const { raw, socket } = request;
  if (raw.complete) return;
  reply.raw.once('finish', () => {
    if (raw.complete) return;
    // Node does so itself only for a body of which nothing was read.
    raw.resume();
    const timer = setTimeout(() => {
      if (!raw.complete) socket.destroy();
    }, lingerMs);
    raw.once('close', () => clearTimeout(timer));
  });
}
