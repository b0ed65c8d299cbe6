import { getChatOptions as operation } from '@trellis/contract/operations/chat.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getChatOptions = jsonRoute(operation, async ({ caller }, { chat }) =>
  answer(200, await chat.options(caller)),
);
