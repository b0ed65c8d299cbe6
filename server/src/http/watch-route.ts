import type { FastifyReply } from 'fastify';
import type { Operation } from '@trellis/contract/operation.ts';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { WATCH_OPENED_AFTER_MS } from '#base/watch-limits.ts';
import type { WatchedValue } from '#runtime/watches/endpoint-watch.ts';
import type { UnsentBytes } from '#runtime/watches/unsent-bytes.ts';
import { sequenceOf, startStream, textOf, untilDrained } from './event-stream.ts';
import { forwardedHeaders, SEQUENCE } from './headers.ts';
import { restOfPath, type Route, type RouteContext } from './route.ts';

type Response = FastifyReply['raw'];

/**
 * The route that watches an endpoint: see `watchEndpoint` in the contract. What is refused, or
 * wrong with the request itself, is an ordinary answer; from the first value on all is events. It
 * ends without a last event, so a client comes back, and is then told by a status when it may not.
 */
export function watchRoute(operation: Operation): Route {
  return {
    operation,
    intake: 'text',
    async handle(request, reply, context) {
      const live = must(request.live, 'the answer to a caller');
      const closed = new AbortController();
      reply.raw.once('close', () => closed.abort());
      const { stopping } = context.eventStreams;
      const signal = AbortSignal.any([closed.signal, live.signal, stopping]);
      const lastSequence = sequenceOf(lastEventId(request.headers['last-event-id']));
      await untilReached(lastSequence, signal, context);
      const { watches } = context.services.endpoints;
      using watch = watches.open(
        {
          caller: must(request.caller, 'the caller of a watch'),
          name: restOfPath(request),
          body: typeof request.body === 'string' ? request.body : null,
          headers: forwardedHeaders(request.headers),
          authorization: request.headers.authorization,
          traceId: request.id,
        },
        lastSequence,
      );
      const first = await firstOf((until) => watch.next(until), signal);
      if (first?.kind === 'fault' && (first.isFinal || isOfRequest(first.error))) throw first.error;
      // It was answered with the reason, or nobody reads any more.
      if (live.problem !== undefined || closed.signal.aborted) return undefined;
      context.unreadAnswers.watch(reply);
      startStream(reply.header(SEQUENCE, context.services.sequence()));
      reply.raw.write(':\n\n');
      using _pings = pinging(reply.raw, context.timeouts.watchPing);
      try {
        for (let outcome = first; ; outcome = await watch.next(signal)) {
          if (signal.aborted) break;
          if (outcome === undefined) continue;
          // Before each: what was read with rights that are gone does not go out.
          live.check();
          const text = outcome.kind === 'value' ? frameOf(outcome) : errorText(outcome.error);
          const isSent = await send(reply.raw, text, { signal, unsent: watches.unsent });
          if (!isSent || (outcome.kind === 'fault' && outcome.isFinal)) break;
        }
        const end = live.problem ?? (stopping.aborted ? stopping.reason : undefined);
        if (end !== undefined && reply.raw.writable) reply.raw.write(errorText(end));
      } catch (error) {
        if (reply.raw.writable) reply.raw.write(errorText(error));
      } finally {
        reply.raw.end();
      }
      return undefined;

      function errorText(error: unknown): string {
        return textOf({ event: 'error', data: context.errorOf(error, request) });
      }
    },
  };
}

const PING = textOf({ event: 'ping', data: {} });

/** Says from time to time that the stream is alive; not to a client that does not read. */
export function pinging(
  response: Pick<Response, 'write' | 'writableNeedDrain' | 'writableEnded'>,
  everyMs: number,
): Disposable {
  const timer = setInterval(() => {
    if (!response.writableNeedDrain && !response.writableEnded) response.write(PING);
  }, everyMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function lastEventId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

/** Whoever has seen a newer state elsewhere is not shown an older one, if that can be helped. */
async function untilReached(
  sequence: number | undefined,
  signal: AbortSignal,
  { services, timeouts }: RouteContext,
): Promise<void> {
  if (sequence === undefined || services.sequence() >= sequence) return;
  await services.waitForSequence(sequence, timeouts.minSequenceWait, signal);
}

/** Undefined when it takes so long that the client is to learn that it has its stream. */
async function firstOf<T>(
  next: (signal: AbortSignal) => Promise<T | undefined>,
  signal: AbortSignal,
): Promise<T | undefined> {
  const waited = new AbortController();
  const timer = setTimeout(() => waited.abort(), WATCH_OPENED_AFTER_MS);
  try {
    return await next(AbortSignal.any([signal, waited.signal]));
  } finally {
    clearTimeout(timer);
  }
}

/** What is wrong with the request, and not with what is watched. */
function isOfRequest(error: unknown): boolean {
  return error instanceof Problem && OF_REQUEST.has(error.code);
}

const OF_REQUEST: ReadonlySet<string> = new Set([
  'invalid_request',
  'endpoint_overloaded',
  'too_many_requests',
]);

/** One text for all who get the value. */
const frames = new WeakMap<WatchedValue, Buffer>();

function frameOf(value: WatchedValue): Buffer {
  let frame = frames.get(value);
  if (frame === undefined) {
    const { sequence, json } = value;
    // JSON has no line breaks of its own, but code that was let out of its walls may say anything.
    const line = json.replaceAll(/[\r\n]/g, ' ');
    const data = `{"sequence":${sequence},"value":${line}}`;
    frame = Buffer.from(`id: ${sequence}\nevent: value\ndata: ${data}\n\n`);
    frames.set(value, frame);
  }
  return frame;
}

/** Resolves once the client has taken it; with false when it has gone, or there is no room. */
async function send(
  response: Response,
  text: Buffer | string,
  { signal, unsent }: { readonly signal: AbortSignal; readonly unsent: UnsentBytes },
): Promise<boolean> {
  if (response.write(text)) return true;
  using held = unsent.hold(text.length);
  if (held.isTooMuch) return false;
  await untilDrained(response, signal);
  return !signal.aborted;
}
