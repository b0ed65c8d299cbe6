import { operations } from '@trellis/contract/operations/chat.ts';
import { answer } from '../answer.ts';
import { chatRoute } from '../chat-route.ts';
import { routesOf } from '../routes-of.ts';

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
