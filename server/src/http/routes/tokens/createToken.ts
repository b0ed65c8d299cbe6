import { createToken as operation } from '@trellis/contract/operations/tokens.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const createToken = jsonRoute(operation, async ({ caller, body, address }, { tokens }) =>
  answer(201, await tokens.create(caller, body, address)),
);
