import { listChats as operation } from '@trellis/contract/operations/chat.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listChats = jsonRoute(operation, async ({ caller, query }, { chat }) =>
  answer(200, await chat.list(caller, query)),
);
