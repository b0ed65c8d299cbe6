import { createChat as operation } from '@trellis/contract/operations/chat.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const createChat = jsonRoute(operation, async ({ caller, body }, { chat }) =>
  answer(201, await chat.create(caller, body.title)),
);
