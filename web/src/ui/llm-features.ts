import type { LlmFeature } from '@trellis/contract/shapes/llm.ts';

/** What asks models, as people call it. */
export const FEATURE_WORDS: Readonly<Record<LlmFeature, string>> = {
  chat: 'Chat',
  'deep-research': 'Deep research',
  agents: 'Agents',
  'admin-agent': 'Admin agent',
  documents: 'Documents',
  endpoints: 'Endpoints',
  router: 'LLM router',
  embeddings: 'Embeddings of the router',
};
