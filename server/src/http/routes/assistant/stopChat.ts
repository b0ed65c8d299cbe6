import { stopChat as operation } from '@trellis/contract/operations/chat.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const stopChat = jsonRoute(operation, async ({ caller, params }, { chat }) => {
  await chat.stop(caller, params.uid);
  return answer(204);
});
