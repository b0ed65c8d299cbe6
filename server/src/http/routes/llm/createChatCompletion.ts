import { createChatCompletion as operation } from '@trellis/contract/operations/llm.ts';
import { llmRoute } from '../../llm-route.ts';

export const createChatCompletion = llmRoute(operation, (call, { llm }) =>
  llm.chat('openai', call),
);
