import type { FastifyRequest } from 'fastify';
import type { TurnCall } from '#assistant/chat/chat-turn.ts';
import type { operations } from '@trellis/contract/operations/chat.ts';
import type { ChatAnswer } from '@trellis/contract/shapes/chat.ts';
import { acceptsEvents, answerInEvents } from './answer-events.ts';
import { disconnectSignal } from './disconnect.ts';
import { forwardedHeaders } from './forwarded-headers.ts';
import { CHAT } from './header-names.ts';
import { readInput, sendJson, type Route, type RouteContext } from './route.ts';

type TurnOperation = typeof operations.sendChatMessage;

/** A turn of a conversation: one JSON answer, or the events of it; either stops when the client leaves. */
export function chatRoute(operation: TurnOperation): Route {
  return {
    operation,
    intake: 'json',
    async handle(request, reply, context) {
      const say = turnOf(operation, request, context);
      if (acceptsEvents(request)) {
        return answerInEvents({ operation, request, reply, context }, ({ signal, open, tell }) =>
          say({
            signal,
            onBegin: ({ chatUID }) => open({ [CHAT]: chatUID }),
            onEvent: ({ event, data }) => tell(event, data),
          }),
        );
      }
      const answer = await say({
        signal: disconnectSignal(reply),
        onBegin: ({ chatUID }) => void reply.header(CHAT, chatUID),
        onEvent: () => undefined,
      });
      return sendJson(reply, context.services, answer);
    },
  };
}

type Listener = Pick<TurnCall, 'signal' | 'onBegin' | 'onEvent'>;

function turnOf(
  operation: TurnOperation,
  request: FastifyRequest,
  { services }: RouteContext,
): (listener: Listener) => Promise<ChatAnswer> {
  const { caller, address, body } = readInput(operation, request);
  const headers = forwardedHeaders(request.headers);
  const { authorization } = request.headers;
  return (listener) =>
    services.chat.say(body, { caller, address, headers, authorization, ...listener });
}
