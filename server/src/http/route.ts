import type { Caller } from '#access/caller.ts';
import { must } from '#base/assert.ts';
import {
  ANSWER_UNREAD_TIMEOUT_MS,
  EVENT_STREAM_HEARTBEAT_MS,
  HTTP_HEADERS_TIMEOUT_MS,
  HTTP_LINGER_MS,
  HTTP_REQUEST_TIMEOUT_MS,
  HTTP_SILENT_CONNECTION_TIMEOUT_MS,
  HTTP_STRANGER_BODY_TIMEOUT_MS,
  HTTP_STREAM_IDLE_TIMEOUT_MS,
  MIN_SEQUENCE_WAIT_MS,
  STOP_GRACE_MS,
  WEB_SOCKET_PING_INTERVAL_MS,
  WEB_SOCKET_SESSION_CHECK_MS,
} from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import { WATCH_PING_MS } from '#base/watch-limits.ts';
import { turns } from '#base/turns.ts';
import type { ErrorBody } from '@trellis/contract/errors.ts';
import type { Immutable } from '@trellis/contract/immutable.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import { SCIM_MEDIA_TYPE } from '@trellis/contract/shapes/scim.ts';
import { WEB_SOCKET_SIGN_IN_MS } from '@trellis/contract/limits.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Bodies } from './body/bodies.ts';
import type { CompressedAnswers } from './compressed-answers.ts';
import type { EventStreams } from './live-answers.ts';
import { validate } from './error-answer.ts';
import { SEQUENCE } from './headers.ts';
import { restParameter, unknownRoute } from './path-template.ts';
import type { ReachedBy } from './reached.ts';
import type { Awaitable, HttpServices } from './services.ts';
import { budgetKeyOf, type UnreadAnswers } from './unread-answers.ts';

/** One operation, ready to be registered. */
export interface Route {
  readonly operation: Operation;
  /**
   * How the body reaches `handle`: as parsed JSON, also under SCIM's name for it, as the text of
   * JSON that another thread parses, as the fields of a form, or as bytes while they arrive
   * (anything, a zip, text, the files of a form, a zip or a form with one).
   */
  readonly intake:
    | 'json'
    | 'scim'
    | 'text'
    | 'form'
    | 'stream'
    | 'bytes'
    | 'zip'
    | 'multipart'
    | 'archive';
  /** The route sets all headers of its answer itself: see `raw-answer.ts`. */
  readonly answersRaw?: true;
  /**
   * Resolves with the text of the answer's body, once status and headers are set on the reply.
   * Undefined when the answer was sent already.
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
  /** The headers of every answer that protect browsers. */
  readonly securityHeaders: Readonly<Record<string, string>>;
  /** The same headers as lines of the head of an answer. */
  readonly securityLines: string;
  /** The origins whose pages may call. If there are any, a plugin adds its headers to answers. */
  readonly corsOrigins: readonly string[];
  /** Logs an error, and gives what the caller may know of it. */
  readonly errorOf: (error: unknown, request: FastifyRequest) => ErrorBody;
  /** Connections with a body that may take any time. */
  readonly streamingSockets: WeakSet<FastifyRequest['socket']>;
  /** Where whoever sent a request has reached this server. */
  readonly reachedBy: ReachedBy;
  readonly eventStreams: EventStreams;
  readonly unreadAnswers: UnreadAnswers;
  readonly compressedAnswers: CompressedAnswers;
  /** Called with a fault after the answer has begun, when it can only be cut off. */
  readonly onBrokenAnswer: (traceId: string, error: unknown) => void;
}

/** In milliseconds. A test that cannot wait for them sets shorter ones. */
export const HTTP_TIMEOUTS = {
  headers: HTTP_HEADERS_TIMEOUT_MS,
  request: HTTP_REQUEST_TIMEOUT_MS,
  strangerBody: HTTP_STRANGER_BODY_TIMEOUT_MS,
  streamIdle: HTTP_STREAM_IDLE_TIMEOUT_MS,
  linger: HTTP_LINGER_MS,
  minSequenceWait: MIN_SEQUENCE_WAIT_MS,
  silentConnection: HTTP_SILENT_CONNECTION_TIMEOUT_MS,
  stopGrace: STOP_GRACE_MS,
  webSocketSignIn: WEB_SOCKET_SIGN_IN_MS,
  webSocketPing: WEB_SOCKET_PING_INTERVAL_MS,
  webSocketSessionCheck: WEB_SOCKET_SESSION_CHECK_MS,
  eventStreamHeartbeat: EVENT_STREAM_HEARTBEAT_MS,
  watchPing: WATCH_PING_MS,
  answerUnread: ANSWER_UNREAD_TIMEOUT_MS,
} as const;

export type HttpTimeouts = { readonly [Name in keyof typeof HTTP_TIMEOUTS]: number };

type Operations = Readonly<Record<string, Operation>>;

/** A handler for each operation that takes and answers JSON, a route for each other one. */
type Handlers<O extends Operations> = { readonly [Id in keyof O]: JsonHandler<O[Id]> | Route };

/**
 * The routes of one file of operations in the contract, under their ids: the compiler says which
 * one is missing, and what each handler gets and may answer. Example: `routesOf(operations, {
 * getUser: ({ params }, { users }) => ... })`.
 */
export function routesOf<O extends Operations>(
  operations: O,
  handlers: Handlers<O>,
): Readonly<Record<keyof O, Route>> {
  const routes = Object.entries(operations).map(([id, operation]) => {
    const handler = handlers[id as keyof O] as JsonHandler<Operation> | Route;
    return [id, typeof handler === 'object' ? handler : jsonRoute(operation, handler)] as const;
  });
  return Object.fromEntries(routes) as Record<keyof O, Route>;
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

type Statuses<O extends Operation> = keyof O['responses'] & number;

/**
 * What the handler of an operation may answer: a status of its row, with the body that the row
 * promises for it.
 */
export type Answer<O extends Operation> = OwnHeaders &
  {
    [Status in Statuses<O>]: O['responses'][Status] extends {
      readonly body: infer Body extends z.ZodType;
    }
      ? { readonly status: Status; readonly body: Immutable<z.output<Body>> }
      : { readonly status: Status; readonly body?: undefined };
  }[Statuses<O>];

/** Headers beside those that every answer carries, in lower case. */
interface OwnHeaders {
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** An answer whose status is known to the compiler by its value. */
export function answer<const Status extends number>(status: Status): { readonly status: Status };
export function answer<const Status extends number, const Body>(
  status: Status,
  body: Body,
): { readonly status: Status; readonly body: Body };
export function answer<const Status extends number, const Body>(
  status: Status,
  body: Body,
  headers: Readonly<Record<string, string>>,
): { readonly status: Status; readonly body: Body } & OwnHeaders;
export function answer(
  status: number,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
): object {
  return body === undefined ? { status } : { status, body, headers };
}

type JsonHandler<O extends Operation> = (
  input: Input<O>,
  services: HttpServices,
) => Awaitable<Answer<O>>;

/** The route of an operation that takes JSON or nothing, and answers JSON or nothing. */
function jsonRoute<const O extends Operation>(operation: O, handler: JsonHandler<O>): Route {
  const isRead = operation.method === 'GET' || operation.scope === 'read';
  return {
    operation,
    intake: operation.area === 'scim' ? 'scim' : 'json',
    async handle(request, reply, { services }) {
      // A read in turns may see several commits: the sequence before it is a lower bound.
      const sequence = services.sequence();
      const answered: OwnHeaders & { readonly status: number; readonly body?: unknown } =
        await handler(readInput(operation, request), services);
      reply.code(answered.status).header(SEQUENCE, isRead ? sequence : services.sequence());
      if (answered.headers !== undefined) reply.headers(answered.headers);
      if (answered.body === undefined) return sendNoBody(reply);
      const contentType = operation.responses[answered.status]?.contentType ?? 'application/json';
      reply.header('content-type', `${contentType}; charset=utf-8`);
      if (contentType !== 'application/json' && contentType !== SCIM_MEDIA_TYPE) {
        return String(answered.body);
      }
      return jsonInTurns(answered.body, budgetKeyOf(request));
    },
  };
}

/** Sets the headers of a JSON answer, and gives its body. The status is that of the reply. */
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

/** Runs `work` while a body arrives that may take any time. A silent sender is still cut off. */
export async function whileStreaming<T>(
  { socket, live }: FastifyRequest,
  { streamingSockets }: RouteContext,
  work: () => Promise<T>,
): Promise<T> {
  // The work ends when its caller loses their rights; what was taken until then stays.
  live?.listened();
  streamingSockets.add(socket);
  try {
    return await work();
  } finally {
    streamingSockets.delete(socket);
  }
}

/** Writes the head with the headers set so far. The route itself sends what follows. */
export function writeHead(reply: FastifyReply): void {
  reply.hijack();
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string>);
}

/** Sends an empty answer by hand: to the framework, undefined means that the answer comes later. */
export function sendNoBody(reply: FastifyReply): undefined {
  reply.send();
  return undefined;
}

/** The input as the contract describes it. Throws `invalid_request`. */
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
 * The parameters of the path by their names in the contract; the router calls the rest of a path
 * "*".
 */
function pathParameters(operation: Operation, request: FastifyRequest): Record<string, string> {
  const { '*': _rest, ...params } = request.params as Record<string, string>;
  const name = restParameter(operation.path);
  return name === undefined ? params : { ...params, [name]: restOfPath(request) };
}

/**
 * The decoded part of the path in the place of `{+name}`. Without such a part it is another path.
 */
export function restOfPath(request: FastifyRequest): string {
  const { '*': rest } = request.params as { readonly '*'?: string };
  if (rest === undefined || rest === '') throw unknownRoute(request);
  return rest;
}

/** The route of an operation without a body whose answer is finished JSON text. */
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

/** A list, or an object, of more members than this is written in turns. */
const MEMBERS_AT_ONCE = 32;

/**
 * The JSON of an answer, as `JSON.stringify` makes it. Long lists, the value itself or a member of
 * it, are written in turns of `caller` (see `Turns`).
 */
export function jsonInTurns(value: unknown, caller: string): string | Promise<string> {
  const isLong = isLongList(value) || (isRecord(value) && hasLongMember(value));
  return isLong ? longJson(value, caller) : JSON.stringify(value);
}

async function longJson(value: unknown, caller: string): Promise<string> {
  if (Array.isArray(value)) return listJson(value, caller);
  let text = '';
  for (const [name, member] of Object.entries(value as object)) {
    if (turns.isSpent) await turns.next(caller);
    const json = isLongList(member) ? await listJson(member, caller) : JSON.stringify(member);
    if (json !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${json}`;
  }
  return `{${text}}`;
}

async function listJson(list: readonly unknown[], caller: string): Promise<string> {
  let text = '';
  for (const one of list) {
    if (turns.isSpent) await turns.next(caller);
    text += `${text === '' ? '' : ','}${JSON.stringify(one) ?? 'null'}`;
  }
  return `[${text}]`;
}

function hasLongMember(record: object): boolean {
  let members = 0;
  for (const name in record) {
    if (++members > MEMBERS_AT_ONCE) return true;
    if (isLongList((record as Record<string, unknown>)[name])) return true;
  }
  return false;
}

function isLongList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > MEMBERS_AT_ONCE;
}

/** Whether a value is an object that JSON writes member by member. */
function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !('toJSON' in value);
}
