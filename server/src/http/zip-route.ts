import type { FastifyRequest } from 'fastify';
import { Problem } from '#base/problem.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import { bodyStream } from './body-stream.ts';
import type { BodyHold } from './body/body-budget.ts';
import { readHead, requireContentType, sendJson, type Input, type Route } from './route.ts';
import type { HttpServices } from './services.ts';

/**
 * An operation that takes a zip of at most so many bytes, which is held as a whole, and answers
 * JSON.
 */
export function zipRoute<const O extends Operation>(
  operation: O,
  bytesMax: number,
  handler: (
    head: Omit<Input<O>, 'body'>,
    zip: Uint8Array,
    services: HttpServices,
  ) => Promise<unknown>,
): Route {
  return {
    operation,
    intake: 'zip',
    async handle(request, reply, { services, timeouts, bodies }) {
      const head = readHead(operation, request);
      requireContentType(operation, request);
      const zip = await bodyBytes(request, timeouts.streamIdle, {
        bytesMax,
        hold: bodies.hold(request),
        hint: 'Leave out what the interface does not need, such as source maps.',
      });
      const answer = await handler(head, zip, services);
      return sendJson(reply, services, answer);
    },
  };
}

/** The whole body, which is held. Throws `body_too_large`, `bodies_in_flight`. */
export async function bodyBytes(
  request: FastifyRequest,
  idleMs: number,
  {
    bytesMax,
    hint,
    hold,
  }: { readonly bytesMax: number; readonly hint: string; readonly hold: BodyHold },
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  const refuse = (): void => {
    throw new Problem('body_too_large', `The zip is larger than ${bytesMax} bytes.`, {
      hint,
      details: { limitBytes: bytesMax },
    });
  };
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) refuse();
  for await (const chunk of bodyStream(request, idleMs)) {
    bytes += chunk.length;
    if (bytes > bytesMax) refuse();
    hold.add(chunk.length);
    parts.push(chunk);
  }
  return Buffer.concat(parts, bytes);
}
