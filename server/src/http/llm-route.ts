import type { FastifyReply } from 'fastify';
import { must } from '#base/assert.ts';
import type { LlmAnswer, LlmCall } from '#assistant/router/llm-call.ts';
import type { Caller } from '#access/caller.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import { disconnectSignal } from './disconnect.ts';
import { errorAnswer, toProblem } from './error-answer.ts';
import { untilDrained } from './event-stream.ts';
import { SEQUENCE } from './header-names.ts';
import { errorEvent } from './error-answer.ts';
import { readInput, type Input, type Route } from './route.ts';
import type { HttpServices } from './services.ts';
import type { Awaitable } from './answer.ts';

/** Of a client of Anthropic: they say how the body is meant. */
const PROTOCOL_HEADERS = ['anthropic-version', 'anthropic-beta'];

type LlmInput<O extends Operation> = Pick<Input<O>, 'body'> & Omit<LlmCall, 'body'>;

/**
 * An operation of the router: its answer goes out as the provider gives it, or, when that is a stream, event by event, no faster than
 * the client takes them; when the client leaves, so does the request to the provider. What fails before the first event is an error
 * as any other; later it is the last event.
 */
export function llmRoute<const O extends Operation>(
  operation: O,
  handler: (input: LlmInput<O>, services: HttpServices) => Awaitable<LlmAnswer>,
): Route {
  return {
    operation,
    intake: 'json',
    async handle(request, reply, { services, onBrokenAnswer }) {
      const signal = disconnectSignal(reply);
      const caller: Caller = must(request.caller, 'the caller of the router');
      const headers = Object.fromEntries(
        PROTOCOL_HEADERS.flatMap((name) => {
          const value = request.headers[name];
          return typeof value === 'string' ? [[name, value] as const] : [];
        }),
      );
      const { body } = readInput(operation, request);
      const answer = await handler({ body, caller, headers, signal }, services);
      reply.header(SEQUENCE, services.sequence()).header('request-id', request.id);
      if ('json' in answer) {
        reply.header('content-type', 'application/json; charset=utf-8');
        return answer.json;
      }
      startStream(reply);
      try {
        await send(answer.events, reply, signal);
        if (request.live?.problem !== undefined) throw request.live.problem;
      } catch (error) {
        const end = request.live?.problem;
        if (!signal.aborted || end !== undefined) {
          onBrokenAnswer(request.id, end ?? error);
          const problem = toProblem(end ?? error, operation);
          reply.raw.write(errorEvent(errorAnswer(problem, request.id, operation)));
        }
      }
      reply.raw.end();
      return undefined;
    },
  };
}

function startStream(reply: FastifyReply): void {
  reply
    .header('content-type', 'text/event-stream; charset=utf-8')
    .header('cache-control', 'no-store')
    .hijack();
  reply.raw.writeHead(200, reply.getHeaders() as Record<string, string>);
  // The client learns at once that it has its stream.
  reply.raw.flushHeaders();
}

async function send(
  events: AsyncIterable<string>,
  { raw }: FastifyReply,
  signal: AbortSignal,
): Promise<void> {
  for await (const text of events) {
    if (signal.aborted) return;
    if (!raw.write(text)) await untilDrained(raw, signal);
  }
}
