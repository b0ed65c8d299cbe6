import { createMessage as operation } from '@trellis/contract/operations/llm.ts';
import { llmRoute } from '../../llm-route.ts';

export const createMessage = llmRoute(operation, (call, { llm }) => llm.chat('anthropic', call));
