import { createEmbeddings as operation } from '@trellis/contract/operations/llm.ts';
import { llmRoute } from '../../llm-route.ts';

export const createEmbeddings = llmRoute(operation, (call, { llm }) => llm.embeddings(call));
