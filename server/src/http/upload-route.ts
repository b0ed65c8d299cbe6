import type { FastifyRequest } from 'fastify';
import { Problem } from '#base/problem.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import { FILE_BYTES_MAX } from '@trellis/contract/limits.ts';
import {
  type Input,
  readHead,
  requireContentType,
  type Route,
  type RouteContext,
  sendJson,
  whileStreaming,
} from './route.ts';
import type { Awaitable, HttpServices } from './services.ts';
import { type BodyHold, wholeBody } from './body/read-body.ts';
import { DEFINITIONS_ZIP_BYTES_MAX } from '#base/definition-limits.ts';
import type { operations } from '@trellis/contract/operations/definitions.ts';
import { answerInEvents } from './event-stream.ts';
import type { Gate } from './gate.ts';

/**
 * Names keep their slashes, so that they can be refused. The service is not asked for more than one
 * file.
 */
export const UPLOAD_OPTIONS = {
  limits: { fileSize: FILE_BYTES_MAX, files: 1, fields: 0, parts: 2, headerPairs: 20 },
  preservePath: true,
  throwFileSizeLimit: true,
} as const;

interface UploadHandlers<O extends Operation> {
  /** The most bytes that the file may have. */
  readonly bytesMax: number;
  /** Refuses before anything is read. */
  admit(head: Omit<Input<O>, 'body'>, services: HttpServices): Awaitable<void>;
  begin(
    head: Omit<Input<O>, 'body'>,
    file: { readonly name: string; readonly contentType: string },
    services: HttpServices,
  ): UploadWriter<unknown>;
}

/**
 * The route of an operation that takes a form with one file, hands it on as it arrives, and answers
 * 201.
 */
export function uploadRoute<const O extends Operation>(
  operation: O,
  { bytesMax, admit, begin }: UploadHandlers<O>,
): Route {
  return {
    operation,
    intake: 'multipart',
    async handle(request, reply, context) {
      const { services } = context;
      const head = readHead(operation, request);
      await admit(head, services);
      requireContentType(operation, request);
      const entry = await whileStreaming(request, context, () =>
        receivedFile(request, bytesMax, (file) => begin(head, file, services)),
      );
      return sendJson(reply.code(201), services, entry);
    },
  };
}

/**
 * Receives the one file of a form. Keeps nothing unless the whole form is valid. Throws
 * `invalid_request`, `body_too_large`.
 */
async function receivedFile<T>(
  request: FastifyRequest,
  bytesMax: number,
  begin: (file: { readonly name: string; readonly contentType: string }) => UploadWriter<T>,
): Promise<T> {
  let writer: UploadWriter<T> | undefined;
  try {
    const options = { ...UPLOAD_OPTIONS, limits: { ...UPLOAD_OPTIONS.limits, fileSize: bytesMax } };
    for await (const part of readable(request.parts(options), bytesMax)) {
      if (part.type === 'field') throw invalidForm('must have nothing but one file');
      writer = begin({ name: part.filename, contentType: part.mimetype });
      const chunks = readable<Uint8Array>(part.file, bytesMax);
      for await (const chunk of chunks) await writer.write(chunk);
      if (part.file.truncated) throw tooLarge(bytesMax);
    }
    if (writer === undefined) throw invalidForm('must have one file');
    return await writer.end();
  } catch (error) {
    // Without the parser, the rest of the body flows and is thrown away.
    request.raw.unpipe();
    await writer?.abort();
    throw error;
  }
}

/** The same parts, with faults of the form as problems. Errors of the reader pass unchanged. */
async function* readable<T>(
  source: AsyncIterable<T>,
  bytesMax: number,
): AsyncGenerator<T, void, undefined> {
  try {
    yield* source;
  } catch (error) {
    throw formProblem(error, bytesMax);
  }
}

function formProblem(cause: unknown, bytesMax: number): Problem {
  switch (cause instanceof Error && 'code' in cause ? cause.code : undefined) {
    case 'FST_REQ_FILE_TOO_LARGE':
      return tooLarge(bytesMax);
    case 'FST_FILES_LIMIT':
    case 'FST_FIELDS_LIMIT':
    case 'FST_PARTS_LIMIT':
    case 'FST_PROTO_VIOLATION':
      return invalidForm('must have nothing but one file');
    default:
      return new Problem('malformed_request', 'The body is no whole form.', {
        cause,
        hint: 'Send multipart/form-data with its boundary (RFC 7578).',
      });
  }
}

function invalidForm(message: string): Problem {
  return new Problem('invalid_request', `The form ${message}`, {
    details: { fields: [{ path: 'file', message }] },
  });
}

function tooLarge(limitBytes: number): Problem {
  return new Problem('body_too_large', `The file is larger than ${limitBytes} bytes.`, {
    hint: 'Stay below details.limitBytes.',
    details: { limitBytes },
  });
}

/**
 * One file that arrives. `end` completes it. When anything fails, `abort` must follow, and leaves
 * nothing.
 */
interface UploadWriter<Entry> {
  /** Resolves when the next bytes may come. */
  write(bytes: Uint8Array): Promise<void>;
  end(): Promise<Entry>;
  abort(): Promise<void>;
}

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
    async handle(request, reply, context) {
      const { services } = context;
      const head = readHead(operation, request);
      requireContentType(operation, request);
      const hint = 'Leave out what the interface does not need, such as source maps.';
      const zip = await zipBytes(request, context, bytesMax, hint);
      const answer = await handler(head, zip, services);
      return sendJson(reply, services, answer);
    },
  };
}

/** The whole zip. Throws `body_too_large`, `bodies_in_flight`. */
function zipBytes(
  request: FastifyRequest,
  { bodies, timeouts }: RouteContext,
  bytesMax: number,
  hint: string,
): Promise<Uint8Array> {
  return wholeBody(
    request,
    timeouts.streamIdle,
    bodies.hold(request),
    bytesMax,
    () =>
      new Problem('body_too_large', `The zip is larger than ${bytesMax} bytes.`, {
        hint,
        details: { limitBytes: bytesMax },
      }),
  );
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

function uploadedZip(request: FastifyRequest, context: RouteContext): Promise<Uint8Array> {
  const bytesMax = DEFINITIONS_ZIP_BYTES_MAX;
  if (request.mediaType === FORM_TYPE) {
    const hold = context.bodies.hold(request);
    return receivedFile(request, bytesMax, () => bytesInMemory(hold));
  }
  const hint = 'Import it in parts: without "mirror" what is not in a zip stays.';
  return zipBytes(request, context, bytesMax, hint);
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
