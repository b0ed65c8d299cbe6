import { listTokens as operation } from '@trellis/contract/operations/tokens.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listTokens = jsonRoute(operation, async ({ caller, query }, { tokens }) =>
  answer(200, await tokens.list(caller, query)),
);
