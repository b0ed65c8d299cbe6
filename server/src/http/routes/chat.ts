import type { FastifyRequest } from 'fastify';
import { operations } from '@trellis/contract/operations/chat.ts';
import type { TurnCall } from '#assistant/chat/chat-turn.ts';
import type { ChatAnswer } from '@trellis/contract/shapes/chat.ts';
import type { TurnBatch, WatchedTurn } from '#assistant/chat/chat-service.ts';
import {
  acceptsEvents,
  answerInEvents,
  eventStreamRoute,
  type ServerEvent,
} from '../event-stream.ts';
import { disconnectSignal } from '../live-answers.ts';
import { CHAT, forwardedHeaders } from '../headers.ts';
import { answer, readInput, type Route, type RouteContext, routesOf, sendJson } from '../route.ts';

type TurnOperation = typeof operations.sendChatMessage;

/**
 * A turn of a conversation, answered as one JSON body or as events. Both stop when the client
 * leaves, but for a turn in the background.
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
        signal: AbortSignal.any([disconnectSignal(reply), context.eventStreams.stopping]),
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
  const { background = false, ...turn } = body;
  const sender = { caller, address, headers, authorization };
  return (listener) =>
    services.chat.say(turn, { ...sender, ...listener, ...(background && { signal: NEVER }) });
}

/** A turn in the background ends by itself, when it is stopped, or with its caller's rights. */
const NEVER = new AbortController().signal;

async function* eventsOf(batches: AsyncIterable<TurnBatch>): AsyncGenerator<ServerEvent[]> {
  for await (const { messageUID, isNew, events } of batches) {
    const begun = { event: 'begun', id: `${messageUID}-0-0`, data: { messageUID } };
    const told = events.map(({ told: { event, data }, position: { text, tools } }) => ({
      event,
      id: `${messageUID}-${text}-${tools}`,
      data,
    }));
    yield [...(isNew ? [begun] : []), ...told];
  }
}

/** Undefined for a text that was never an id, as if there were none. */
function watchedBefore(id: string | undefined): WatchedTurn | undefined {
  const [, messageUID, text, tools] = /^(\w+)-(\d{1,9})-(\d{1,4})$/.exec(id ?? '') ?? [];
  if (messageUID === undefined) return undefined;
  return { messageUID, position: { text: Number(text), tools: Number(tools) } };
}

export const chatRoutes = routesOf(operations, {
  sendChatMessage: chatRoute(operations.sendChatMessage),
  getChatOptions: ({ caller }, { chat }) => answer(200, chat.options(caller)),
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
  watchChat: eventStreamRoute(
    operations.watchChat,
    ({ caller, params, lastEventId, signal }, { chat }) =>
      eventsOf(chat.watch(caller, params.uid, { after: watchedBefore(lastEventId), signal })),
  ),
  stopChat: async ({ caller, params }, { chat }) => {
    await chat.stop(caller, params.uid);
    return answer(204);
  },
  putChatFeedback: async ({ caller, params, body }, { chat }) => {
    await chat.rate(caller, params.uid, params.messageUID, body);
    return answer(204);
  },
  listChatFeedback: ({ caller, query }, { feedback }) => answer(200, feedback.list(caller, query)),
  getChatFeedback: async ({ caller, params, address }, { feedback }) =>
    answer(200, await feedback.read({ caller, address }, params.messageUID)),
});
