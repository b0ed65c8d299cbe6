import { listLlmUsage as operation } from '@trellis/contract/operations/llm.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listLlmUsage = jsonRoute(operation, async ({ query }, { llm }) =>
  answer(200, await llm.usage(query)),
);
