import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '#base/problem.ts';
import { disconnectSignal } from './disconnect.ts';
import { MIN_SEQUENCE } from './header-names.ts';
import type { HttpServices } from './services.ts';

/**
 * Holds a request back until the state has reached what it asks for with `X-MSK-Min-Sequence` (open-shapes, section 2).
 * Nothing to wait for is no promise, so that the common case costs no turn.
 */
export function awaitMinSequence(
  request: FastifyRequest,
  reply: FastifyReply,
  services: HttpServices,
  waitMs: number,
): Promise<void> | undefined {
  const header = request.headers[MIN_SEQUENCE];
  if (header === undefined) return undefined;
  const wanted = typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : null;
  if (wanted === null) {
    const message = 'must be a whole number';
    throw new Problem('invalid_request', 'The header X-MSK-Min-Sequence is not a sequence.', {
      details: { fields: [{ path: 'X-MSK-Min-Sequence', message }] },
    });
  }
  if (services.sequence() >= wanted) return undefined;
  return reach(wanted, reply, services, waitMs);
}

async function reach(
  wanted: number,
  reply: FastifyReply,
  services: HttpServices,
  waitMs: number,
): Promise<void> {
  if (await services.waitForSequence(wanted, waitMs, disconnectSignal(reply))) return;
  throw new Problem('replica_behind', `Sequence ${wanted} has not arrived here yet.`, {
    details: { sequence: services.sequence() },
  });
}
