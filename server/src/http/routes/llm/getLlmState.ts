import { getLlmState as operation } from '@trellis/contract/operations/llm.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getLlmState = jsonRoute(operation, async (_input, { llm }) =>
  answer(200, await llm.state()),
);
