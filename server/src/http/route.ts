import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { budgetKey, type Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import type { ErrorBody } from '@trellis/contract/errors.ts';
import type { Immutable } from '@trellis/contract/immutable.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import type { Answer, Awaitable } from './answer.ts';
import type { EventStreams } from './event-streams.ts';
import { SEQUENCE } from './header-names.ts';
import { jsonInTurns } from './json-in-turns.ts';
import type { Bodies } from './body/bodies.ts';
import type { HttpTimeouts } from './options.ts';
import { restParameter } from './path-template.ts';
import type { HttpServices } from './services.ts';
import { unknownRoute } from './unknown-route.ts';
import type { UnreadAnswers } from './unread-answers.ts';
import { validate } from './validation.ts';
import { must } from '#base/assert.ts';

/** One operation, ready to be registered. How the body reaches `handle` is told by `intake`. */
export interface Route {
  readonly operation: Operation;
  /**
   * Parsed JSON; its text, to be parsed elsewhere; the fields of a form; or the bytes as they
   * arrive, of anything, a zip, text, a form's files, a zip or a form with one.
   */
  readonly intake: 'json' | 'text' | 'form' | 'stream' | 'bytes' | 'zip' | 'multipart' | 'archive';
  /** It puts the headers itself that every answer carries: see `raw-answer.ts`. */
  readonly answersRaw?: true;
  /**
   * Resolves with the body of the answer, as text; the reply has status and headers by then.
   * Undefined: it was sent without.
   */
  handle(
    request: FastifyRequest,
    reply: FastifyReply,
    context: RouteContext,
  ): Promise<string | undefined>;
}

/** What the routes of one server share. */
export interface RouteContext {
  readonly services: HttpServices;
  readonly timeouts: HttpTimeouts;
  readonly bodies: Bodies;
  /** What every answer carries. */
  readonly securityHeaders: Readonly<Record<string, string>>;
  /** The same, as lines of the head of an answer. */
  readonly securityLines: string;
  /**
   * The origins whose pages may call; where there are some, a plugin puts headers of its own on
   * answers.
   */
  readonly corsOrigins: readonly string[];
  /** What a caller may be told of an error, which is logged as that of an answer is. */
  readonly errorOf: (error: unknown, request: FastifyRequest) => ErrorBody;
  /** Connections with a body that may take as long as it likes. */
  readonly streamingSockets: WeakSet<FastifyRequest['socket']>;
  readonly eventStreams: EventStreams;
  readonly unreadAnswers: UnreadAnswers;
  /** Told of what went wrong after an answer had begun, when it can only be cut off. */
  readonly onBrokenAnswer: (traceId: string, error: unknown) => void;
}

type Parsed<Schema> = Schema extends z.ZodType ? Immutable<z.output<Schema>> : undefined;

/** What the handler of an operation gets: only what passed the contract. */
export interface Input<O extends Operation> {
  readonly caller: O['auth'] extends 'none' ? null : Caller;
  readonly params: Parsed<O['params']>;
  readonly query: Parsed<O['query']>;
  readonly headers: Parsed<O['headers']>;
  readonly body: Parsed<O['body']>;
  /** IP address of the client. */
  readonly address: string;
}

export type JsonHandler<O extends Operation> = (
  input: Input<O>,
  services: HttpServices,
) => Awaitable<Answer<O>>;

/** An operation that takes JSON, or nothing, and answers JSON, or nothing. */
export function jsonRoute<const O extends Operation>(operation: O, handler: JsonHandler<O>): Route {
  const isRead = operation.method === 'GET' || operation.scope === 'read';
  return {
    operation,
    intake: 'json',
    async handle(request, reply, { services }) {
      // What is read in turns is of several commits.
      const sequence = services.sequence();
      const answer: { readonly status: number; readonly body?: unknown } = await handler(
        readInput(operation, request),
        services,
      );
      reply.code(answer.status).header(SEQUENCE, isRead ? sequence : services.sequence());
      if (answer.body === undefined) return sendNoBody(reply);
      const contentType = operation.responses[answer.status]?.contentType ?? 'application/json';
      reply.header('content-type', `${contentType}; charset=utf-8`);
      if (contentType !== 'application/json') return String(answer.body);
      return jsonInTurns(
        answer.body,
        request.caller === null ? request.ip : budgetKey(request.caller),
      );
    },
  };
}

/** Puts the headers of a JSON answer, and gives its body. The status is that of the reply. */
export function sendJson(reply: FastifyReply, services: HttpServices, body: unknown): string {
  return sendJsonText(reply, services, JSON.stringify(body));
}

/** The same with text that was made already. */
function sendJsonText(reply: FastifyReply, services: HttpServices, text: string): string {
  reply.header(SEQUENCE, services.sequence());
  reply.header('content-type', 'application/json; charset=utf-8');
  return text;
}

/** Throws `unsupported_media_type` when there is no content type; another one has no parser. */
export function requireContentType(operation: Operation, request: FastifyRequest): void {
  if (request.mediaType !== undefined) return;
  throw new Problem('unsupported_media_type', 'The body has no content type.', {
    details: { supported: operation.consumes },
  });
}

/**
 * While a body arrives that may take as long as its line does: what is silent is cut off all the
 * same.
 */
export async function whileStreaming<T>(
  { socket, live }: FastifyRequest,
  { streamingSockets }: RouteContext,
  work: () => Promise<T>,
): Promise<T> {
  // It ends with the rights of its caller, who is told so; what has been taken until then stays.
  live?.listened();
  streamingSockets.add(socket);
  try {
    return await work();
  } finally {
    streamingSockets.delete(socket);
  }
}

/**
 * The framework takes nothing to send for a promise of something, so that an empty answer is sent
 * by hand.
 */
export function sendNoBody(reply: FastifyReply): undefined {
  reply.send();
  return undefined;
}

/** What passed the contract; throws `invalid_request`. */
export function readInput<O extends Operation>(operation: O, request: FastifyRequest): Input<O> {
  const { body } = operation;
  const head = readHead(operation, request);
  const input = { ...head, body: body && validate(body, request.body, 'body') };
  return input as Input<O>;
}

/** The same without the body. */
export function readHead<O extends Operation>(
  operation: O,
  request: FastifyRequest,
): Omit<Input<O>, 'body'> {
  const { params, query, headers } = operation;
  const head = {
    caller: request.caller,
    params: params && validate(params, pathParameters(operation, request), 'path'),
    query: query && validate(query, request.query, 'query'),
    headers: headers && validate(headers, request.headers, 'headers'),
    address: request.ip,
  };
  return head as Omit<Input<O>, 'body'>;
}

/**
 * The parameters of the path under the names of the contract; the router calls the rest of a path
 * "*".
 */
function pathParameters(operation: Operation, request: FastifyRequest): Record<string, string> {
  const { '*': _rest, ...params } = request.params as Record<string, string>;
  const name = restParameter(operation.path);
  return name === undefined ? params : { ...params, [name]: restOfPath(request) };
}

/**
 * What stands where the template of the path has `{+name}`, decoded; when nothing does, it is
 * another path.
 */
export function restOfPath(request: FastifyRequest): string {
  const { '*': rest } = request.params as { readonly '*'?: string };
  if (rest === undefined || rest === '') throw unknownRoute(request);
  return rest;
}

/** An operation without a body whose answer is JSON text that was made already. */
export function jsonTextRoute(
  operation: Operation,
  handler: (caller: Caller, services: HttpServices) => Awaitable<string>,
): Route {
  return {
    operation,
    intake: 'json',
    async handle(request, reply, { services }) {
      const text = await handler(must(request.caller, 'a caller'), services);
      return sendJsonText(reply, services, text);
    },
  };
}
