import { putChat as operation } from '@trellis/contract/operations/chat.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const putChat = jsonRoute(operation, async ({ caller, params, body }, { chat }) =>
  answer(200, await chat.rename(caller, params.uid, body.title)),
);
