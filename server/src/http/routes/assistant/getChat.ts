import { getChat as operation } from '@trellis/contract/operations/chat.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getChat = jsonRoute(operation, async ({ caller, params }, { chat }) =>
  answer(200, await chat.get(caller, params.uid)),
);
