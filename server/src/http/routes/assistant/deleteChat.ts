import { deleteChat as operation } from '@trellis/contract/operations/chat.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const deleteChat = jsonRoute(operation, async ({ caller, params }, { chat }) => {
  await chat.delete(caller, params.uid);
  return answer(204);
});
