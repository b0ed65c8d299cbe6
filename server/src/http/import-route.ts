import type { FastifyRequest } from 'fastify';
import { DEFINITIONS_ZIP_BYTES_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { operations } from '@trellis/contract/operations/definitions.ts';
import { answerInEvents } from './answer-events.ts';
import type { BodyHold } from './body/body-budget.ts';
import type { Gate } from './gate.ts';
import { readHead, type Route, type RouteContext } from './route.ts';
import { receivedFile } from './upload-route.ts';
import { bodyBytes } from './zip-route.ts';

/** As browsers on Windows call a zip, too. */
export const ZIP_TYPES: readonly string[] = ['application/zip', 'application/x-zip-compressed'];
const FORM_TYPE = 'multipart/form-data';

/**
 * A zip that is imported while its steps are told (specification, section 6.1). What is no zip is
 * 400, whatever it is.
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
 * Whatever else is sent is refused as the specification has it (section 7), also what is no content
 * type at all.
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
