import type { FastifyRequest } from 'fastify';
import { operations } from '@trellis/contract/operations/chat.ts';
import type { TurnCall } from '#assistant/chat/chat-turn.ts';
import type { ChatAnswer } from '@trellis/contract/shapes/chat.ts';
import { acceptsEvents, answerInEvents } from '../event-stream.ts';
import { disconnectSignal } from '../live-answers.ts';
import { CHAT, forwardedHeaders } from '../headers.ts';
import { answer, readInput, type Route, type RouteContext, routesOf, sendJson } from '../route.ts';

type TurnOperation = typeof operations.sendChatMessage;

/**
 * A turn of a conversation, answered as one JSON body or as events. Both stop when the client
 * leaves.
 */
function chatRoute(operation: TurnOperation): Route {
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
      const said = await say({
        signal: disconnectSignal(reply),
        onBegin: ({ chatUID }) => void reply.header(CHAT, chatUID),
        onEvent: () => undefined,
      });
      return sendJson(reply, context.services, said);
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

export const chatRoutes = routesOf(operations, {
  sendChatMessage: chatRoute(operations.sendChatMessage),
  getChatOptions: async ({ caller }, { chat }) => answer(200, await chat.options(caller)),
  createChat: async ({ caller, body }, { chat }) =>
    answer(201, await chat.create(caller, body.title)),
  listChats: async ({ caller, query }, { chat }) => answer(200, await chat.list(caller, query)),
  getChat: async ({ caller, params }, { chat }) => answer(200, await chat.get(caller, params.uid)),
  putChat: async ({ caller, params, body }, { chat }) =>
    answer(200, await chat.rename(caller, params.uid, body.title)),
  deleteChat: async ({ caller, params }, { chat }) => {
    await chat.delete(caller, params.uid);
    return answer(204);
  },
  stopChat: async ({ caller, params }, { chat }) => {
    await chat.stop(caller, params.uid);
    return answer(204);
  },
  putChatFeedback: async ({ caller, params, body }, { chat }) => {
    await chat.rate(caller, params.uid, params.messageUID, body);
    return answer(204);
  },
});
