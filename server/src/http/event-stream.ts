import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '#base/problem.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import { authorize, bearerToken } from './gate.ts';
import { SEQUENCE } from './headers.ts';
import { type Input, readInput, type Route, type RouteContext, writeHead } from './route.ts';
import type { HttpServices } from './services.ts';

/** One event of a stream (HTML standard, section 9.2). */
export interface ServerEvent {
  /** One line. */
  readonly event: string;
  /** One line; a client that comes back sends the last one as `Last-Event-ID`. */
  readonly id?: string;
  /** Sent as JSON. */
  readonly data: unknown;
}

type StreamInput<O extends Operation> = Input<O> & {
  readonly lastEventId: string | undefined;
  /** Aborts when nobody reads any more; the events must then end. */
  readonly signal: AbortSignal;
};

/**
 * The route of an operation that answers with Server-Sent Events. The stream lasts as long as the
 * handler gives events, the token is valid for them, the client reads and the server runs. It asks
 * for no more events than the client takes. A stream that is complete ends with the event `end`;
 * one that is cut off does not, so the client comes back. What the handler throws when it is called
 * is an ordinary error.
 */
export function eventStreamRoute<const O extends Operation>(
  operation: O,
  handler: (input: StreamInput<O>, services: HttpServices) => AsyncIterable<readonly ServerEvent[]>,
): Route {
  return {
    operation,
    intake: 'json',
    async handle(request, reply, context) {
      const input = readInput(operation, request);
      const stream = context.eventStreams.open(request);
      const events = begin(stream, (signal) =>
        handler({ ...input, lastEventId: lastEventId(request), signal }, context.services),
      );
      reply.raw.once('close', () => stream.abort());
      context.unreadAnswers.watch(reply);
      startStream(reply.header(SEQUENCE, context.services.sequence()));
      if (request.method === 'HEAD') {
        reply.raw.end();
        return undefined;
      }
      // The client learns at once that it has its stream.
      reply.raw.write(':\n\n');
      const session = new StreamSession(operation, request, context.services);
      const heartbeatMs = context.timeouts.eventStreamHeartbeat;
      const sending = { session, response: reply.raw, stream, heartbeatMs };
      try {
        await send(events, sending);
        reply.raw.end();
      } catch (error) {
        context.onBrokenAnswer(request.id, error);
        reply.raw.destroy();
      }
      return undefined;
    },
  };
}

/** Closes the stream again when it cannot begin. */
function begin<T>(stream: AbortController, open: (signal: AbortSignal) => T): T {
  try {
    return open(stream.signal);
  } catch (error) {
    stream.abort();
    throw error;
  }
}

interface Sending {
  readonly session: StreamSession;
  readonly response: FastifyReply['raw'];
  readonly stream: AbortController;
  readonly heartbeatMs: number;
}

async function send(
  events: AsyncIterable<readonly ServerEvent[]>,
  { session, response, stream, heartbeatMs }: Sending,
): Promise<void> {
  const { signal } = stream;
  const heartbeat = session.startHeartbeat(stream, response, heartbeatMs);
  try {
    for await (const batch of events) {
      if (signal.aborted || !session.holds()) return;
      if (!response.write(batch.map(textOf).join(''))) await untilDrained(response, signal);
    }
    if (!signal.aborted) response.write(textOf({ event: 'end', data: {} }));
  } finally {
    clearInterval(heartbeat);
    stream.abort();
  }
}

/** The token of a stream. It may expire before the stream ends. */
class StreamSession {
  readonly #operation: Operation;
  readonly #token: string;
  readonly #services: Pick<HttpServices, 'identity'>;

  constructor(operation: Operation, request: FastifyRequest, services: RouteContext['services']) {
    this.#operation = operation;
    this.#token = bearerToken(request, operation);
    this.#services = services;
  }

  /** Whether the token may still read the stream. */
  holds(): boolean {
    try {
      authorize(this.#operation, this.#services.identity.authenticate(this.#token));
      return true;
    } catch (error) {
      if (error instanceof Problem) return false;
      throw error;
    }
  }

  /** Sends a sign of life now and then, and ends the stream when its token has ended. */
  startHeartbeat(
    stream: AbortController,
    response: FastifyReply['raw'],
    intervalMs: number,
  ): NodeJS.Timeout {
    return setInterval(() => {
      try {
        if (!this.holds()) stream.abort();
        // A client that does not read needs no sign of life.
        else if (!response.writableNeedDrain) response.write(':\n\n');
      } catch {
        response.destroy();
      }
    }, intervalMs);
  }
}

export function textOf({ event, id, data }: ServerEvent): string {
  // JSON has no line breaks of its own.
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

function lastEventId({ headers }: FastifyRequest): string | undefined {
  const id = headers['last-event-id'];
  return typeof id === 'string' ? id : undefined;
}

/** The id as a number; undefined for a text that was never an id, as if there were none. */
export function sequenceOf(id: string | undefined): number | undefined {
  return id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

/** Resolves when the client has taken what was sent, or has gone. */
export function untilDrained(response: FastifyReply['raw'], signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    response.on('drain', done);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}

interface LineBatch {
  readonly lines: readonly { readonly sequence: number }[];
  readonly dropped: number;
  readonly sequence: number;
}

/** The events of a log that is watched: see `watchEndpointLogs` in the contract. */
export async function* lineEvents(
  batches: AsyncIterable<LineBatch>,
): AsyncGenerator<ServerEvent[]> {
  for await (const { dropped, lines, sequence } of batches) {
    const lost = dropped === 0 ? [] : [{ event: 'dropped', data: { count: dropped } }];
    const told = lines.map((line) => ({ event: 'line', id: String(line.sequence), data: line }));
    // A client that loses the connection before the first line comes back to here.
    const position = { event: 'position', id: String(sequence), data: {} };
    yield [...lost, ...(told.length === 0 ? [position] : told)];
  }
}

/** An answer on its way, as Server-Sent Events. */
export interface AnswerEvents {
  /** Aborts when the client has gone, its session is over, or the server stops. */
  readonly signal: AbortSignal;
  /** Opens the stream. From here on every fault is an event, so check first what may be refused. */
  open(headers?: Readonly<Record<string, string>>): void;
  /** Sends an event at once, with `data` as JSON. Opens the stream if needed. */
  tell(event: string, data: unknown): void;
}

interface Exchange {
  readonly operation: Operation;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly context: RouteContext;
}

/**
 * Answers with events instead of one JSON body (specification, section 6.1): those that `work`
 * tells, then `result` with its result, then `done`. Before the stream is open, a rejection of
 * `work` is an ordinary error. Later it is the event `error`, whose data is an error body, and then
 * `done`. After ten seconds without an event a comment keeps the stream alive. Throws
 * `too_many_requests`.
 */
export async function answerInEvents(
  { operation, request, reply, context }: Exchange,
  work: (events: AnswerEvents) => Promise<unknown>,
): Promise<undefined> {
  const stream = context.eventStreams.open(request);
  const session = new StreamSession(operation, request, context.services);
  const { raw } = reply;
  let heartbeat: NodeJS.Timeout | undefined;
  raw.once('close', () => {
    stream.abort();
    clearInterval(heartbeat);
  });
  const open: AnswerEvents['open'] = (headers = {}) => {
    if (heartbeat !== undefined) return;
    context.unreadAnswers.watch(reply);
    startStream(reply.headers(headers).header(SEQUENCE, context.services.sequence()));
    // The client learns at once that it has its stream.
    raw.flushHeaders();
    heartbeat = session.startHeartbeat(stream, raw, context.timeouts.eventStreamHeartbeat);
  };
  // Does not wait for a slow client: an answer is no longer than a model may make it.
  const tell: AnswerEvents['tell'] = (event, data) => {
    open();
    // Work that goes on without its client has nobody to tell.
    if (!raw.writable) return;
    raw.write(textOf({ event, data }));
    heartbeat?.refresh();
  };
  // At once, because what is running may take a while to end.
  const end = (): void => {
    if (heartbeat === undefined) return;
    tell('error', context.errorOf(request.live?.problem, request));
    tell('done', {});
    raw.end();
  };
  request.live?.signal.addEventListener('abort', end, { once: true });
  try {
    const result = await work({ signal: stream.signal, open, tell });
    request.live?.check();
    tell('result', result);
  } catch (error) {
    if (heartbeat === undefined) throw error;
    tell('error', context.errorOf(error, request));
  } finally {
    clearInterval(heartbeat);
    stream.abort();
  }
  tell('done', {});
  raw.end();
  return undefined;
}

/** Whether the caller wants events where JSON is the usual answer. */
export function acceptsEvents({ headers }: FastifyRequest): boolean {
  return headers.accept?.toLowerCase().includes('text/event-stream') === true;
}

/** Writes the head of an answer in Server-Sent Events. */
export function startStream(reply: FastifyReply): void {
  reply
    .header('content-type', 'text/event-stream; charset=utf-8')
    .header('cache-control', 'no-store');
  writeHead(reply);
}
