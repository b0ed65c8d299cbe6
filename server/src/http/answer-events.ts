import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from '@trellis/contract/operation.ts';
import { StreamSession, textOf } from './event-stream.ts';
import { SEQUENCE } from './header-names.ts';
import type { RouteContext } from './route.ts';

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
  raw.once('close', () => stream.abort());
  let heartbeat: NodeJS.Timeout | undefined;
  const open: AnswerEvents['open'] = (headers = {}) => {
    if (heartbeat !== undefined) return;
    context.unreadAnswers.watch(reply);
    startStream(reply, { ...headers, [SEQUENCE]: String(context.services.sequence()) });
    heartbeat = session.startHeartbeat(stream, raw, context.timeouts.eventStreamHeartbeat);
  };
  // Does not wait for a slow client: an answer is no longer than a model may make it.
  const tell: AnswerEvents['tell'] = (event, data) => {
    open();
    if (raw.writable) raw.write(textOf({ event, data }));
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

function startStream(reply: FastifyReply, headers: Readonly<Record<string, string>>): void {
  reply
    .headers(headers)
    .header('content-type', 'text/event-stream; charset=utf-8')
    .header('cache-control', 'no-store')
    .hijack();
  reply.raw.writeHead(200, reply.getHeaders() as Record<string, string>);
  // The client learns at once that it has its stream.
  reply.raw.flushHeaders();
}
