import type { FastifyRequest } from 'fastify';
import { FILE_BYTES_MAX } from '#base/file-limits.ts';
import { Problem } from '#base/problem.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import type { UploadWriter } from './admin-agent-service.ts';
import { SEQUENCE } from './header-names.ts';
import { readHead, type Input, type Route } from './route.ts';
import type { Awaitable, HttpServices } from './services.ts';
import type { UploadWriter } from './upload-writer.ts';

/** Slashes in a name are not cut away but refused. Whatever is beyond one file, its service is not asked for. */
export const UPLOAD_OPTIONS = {
  limits: { fileSize: FILE_BYTES_MAX, files: 1, fields: 0, parts: 2, headerPairs: 20 },
  preservePath: true,
  throwFileSizeLimit: true,
} as const;

interface UploadHandlers<O extends Operation> {
  /** Of the file. */
  readonly bytesMax: number;
  /** Refuses before anything is read. */
  admit(head: Omit<Input<O>, 'body'>, services: HttpServices): Awaitable<void>;
  begin(
    head: Omit<Input<O>, 'body'>,
    file: { readonly name: string; readonly contentType: string },
    services: HttpServices,
  ): UploadWriter<unknown>;
}

/** An operation that takes a form with one file, which is handed on as it arrives, and answers 201. */
export function uploadRoute<const O extends Operation>(
  operation: O,
  { bytesMax, admit, begin }: UploadHandlers<O>,
): Route {
  return {
    operation,
    intake: 'multipart',
    async handle(request, reply, { services, streamingSockets }) {
      const head = readHead(operation, request);
      await admit(head, services);
      if (request.mediaType === undefined) {
        throw new Problem('unsupported_media_type', 'The body has no content type.', {
          details: { supported: operation.consumes },
        });
      }
      const entry = await receivedFile(request, (file) => begin(head, file, services));
      // How long it takes is a matter of the line: what is silent is cut off all the same.
      streamingSockets.add(request.socket);
      const entry = await received(request, bytesMax, (file) =>
        begin(head, file, services),
      ).finally(() => streamingSockets.delete(request.socket));
      reply.code(201).header(SEQUENCE, services.sequence());
      reply.header('content-type', 'application/json; charset=utf-8');
      return JSON.stringify(entry);
    },
  };
}

/** What takes the bytes of a file: `end` makes it whole; where that, or anything before it, fails, `abort` follows. */
interface FileReceiver<T> {
  write(bytes: Uint8Array): Promise<void> | void;
  end(): Promise<T> | T;
  abort(): Promise<void> | void;
}

/** The one file of a form. Nothing is kept unless the whole form is what it should be. Throws `invalid_request`, `body_too_large`. */
export async function receivedFile<T>(
  request: FastifyRequest,
  begin: (file: { readonly name: string; readonly contentType: string }) => FileReceiver<T>,
  fileSize: number = UPLOAD_BYTES_MAX,
): Promise<T> {
  let receiver: FileReceiver<T> | undefined;
  try {
    const options = { ...UPLOAD_OPTIONS, limits: { ...UPLOAD_OPTIONS.limits, fileSize } };
    for await (const part of readable(request.parts(options), fileSize)) {
      if (part.type === 'field') throw invalidForm('must have nothing but one file');
      receiver = begin({ name: part.filename, contentType: part.mimetype });
      const chunks = readable<Uint8Array>(part.file, fileSize);
      for await (const chunk of chunks) await receiver.write(chunk);
      if (part.file.truncated) throw tooLarge(fileSize);
    }
  bytesMax: number,
  begin: (file: { readonly name: string; readonly contentType: string }) => UploadWriter<unknown>,
): Promise<unknown> {
  let writer: UploadWriter<unknown> | undefined;
  const limits = { ...UPLOAD_OPTIONS.limits, fileSize: bytesMax };
  try {
    for await (const part of readable(request.parts({ limits }), bytesMax)) {
      if (part.type === 'field') throw invalidForm('must have nothing but one file');
      writer = begin({ name: part.filename, contentType: part.mimetype });
      for await (const chunk of readable<Uint8Array>(part.file, bytesMax))
        await writer.write(chunk);
      if (part.file.truncated) throw tooLarge(bytesMax);
    }
    if (receiver === undefined) throw invalidForm('must have one file');
    return await receiver.end();
  } catch (error) {
    // What still arrives is thrown away, which it is not as long as the parser holds it back.
    request.raw.unpipe();
    await receiver?.abort();
    throw error;
  }
}

/** The same, with what is wrong with the form as a problem; what its reader throws is left alone. */
async function* readable<T>(
  source: AsyncIterable<T>,
  fileSize: number,
  bytesMax: number,
): AsyncGenerator<T, void, undefined> {
  try {
    yield* source;
  } catch (error) {
    throw formProblem(error, fileSize);
  }
}

function formProblem(cause: unknown, fileSize: number): Problem {
  switch (cause instanceof Error && 'code' in cause ? cause.code : undefined) {
    case 'FST_REQ_FILE_TOO_LARGE':
      return tooLarge(fileSize);
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
