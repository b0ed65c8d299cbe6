import type { FastifyRequest } from 'fastify';
import { Problem } from '#base/problem.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import { FILE_BYTES_MAX } from '@trellis/contract/limits.ts';
import {
  type Input,
  readHead,
  requireContentType,
  type Route,
  sendJson,
  whileStreaming,
} from './route.ts';
import type { Awaitable, HttpServices } from './services.ts';

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
export async function receivedFile<T>(
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
