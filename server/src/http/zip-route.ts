import type { FastifyRequest } from 'fastify';
import { Problem } from '#base/problem.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import { bodyStream } from './body-stream.ts';
import type { BodyHold } from './body/body-budget.ts';
import {
  type Input,
  readHead,
  requireContentType,
  type Route,
  type RouteContext,
  sendJson,
} from './route.ts';
import type { HttpServices } from './services.ts';
import { DEFINITIONS_ZIP_BYTES_MAX } from '#base/limits.ts';
import type { operations } from '@trellis/contract/operations/definitions.ts';
import { answerInEvents } from './answer-events.ts';
import type { Gate } from './gate.ts';
import { receivedFile } from './upload-route.ts';

/**
 * The route of an operation that takes a zip of at most `bytesMax`, held in memory as a whole, and
 * answers JSON.
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

/** The whole body, counted in `hold`. Throws `body_too_large`, `bodies_in_flight`. */
async function bodyBytes(
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

/** The content types of a zip; browsers on Windows send the second one. */
export const ZIP_TYPES: readonly string[] = ['application/zip', 'application/x-zip-compressed'];
const FORM_TYPE = 'multipart/form-data';

/**
 * Imports a zip and sends its steps as events (specification, section 6.1). Anything but a zip is
 * 400.
 */
export function importRoute(operation: typeof operations.importDefinitions): Route {
  return {
    operation,
    intake: 'archive',
    async handle(request, reply, context) {
      const { caller, query, address } = readHead(operation, request);
      const zip = await uploadedZip(request, context);
      return await answerInEvents(
        { operation, request, reply, context },
        ({ signal, open, tell }) =>
          context.services.definitions.importZip(caller, zip, {
            ...query,
            address,
            signal,
            onAccepted: open,
            log: (text) => tell('log', { text }),
          }),
      );
    },
  };
}

function uploadedZip(
  request: FastifyRequest,
  { bodies, timeouts }: RouteContext,
): Promise<Uint8Array> {
  const bytesMax = DEFINITIONS_ZIP_BYTES_MAX;
  const hold = bodies.hold(request);
  if (request.mediaType === FORM_TYPE) {
    return receivedFile(request, bytesMax, () => bytesInMemory(hold));
  }
  const hint = 'Import it in parts: without "mirror" what is not in a zip stays.';
  return bodyBytes(request, timeouts.streamIdle, { bytesMax, hint, hold });
}

/**
 * Refuses every other content type, and a missing one, as the specification says (section 7).
 */
export const refuseNoZip: Gate = ({ headers }, _reply, done) => {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  const isZip = [...ZIP_TYPES, FORM_TYPE].includes(type.trim().toLowerCase());
  done(
    isZip ? undefined : new Problem('not_a_zip', 'The upload is not a zip by its content type.'),
  );
};

function bytesInMemory(hold: BodyHold) {
  const parts: Uint8Array[] = [];
  return {
    write: async (bytes: Uint8Array) => {
      hold.add(bytes.length);
      parts.push(bytes);
    },
    end: async () => Buffer.concat(parts),
    abort: async () => {},
  };
}
