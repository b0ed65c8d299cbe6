import { putChatFeedback as operation } from '@trellis/contract/operations/chat.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const putChatFeedback = jsonRoute(operation, async ({ caller, params, body }, { chat }) => {
  await chat.rate(caller, params.uid, params.messageUID, body);
  return answer(204);
});
