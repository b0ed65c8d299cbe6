import { operations } from '@trellis/contract/operations/llm.ts';
import { must } from '#base/assert.ts';
import { answer } from '../answer.ts';
import { llmRoute } from '../llm-route.ts';
import { routesOf } from '../routes-of.ts';

/** The protocol has a date, and there is none to tell. */
const CREATED_AT = '1970-01-01T00:00:00Z';

export const llmRoutes = routesOf(operations, {
  createChatCompletion: llmRoute(operations.createChatCompletion, (call, { llm }) =>
    llm.chat('openai', call),
  ),
  listOpenAiModels: async (_input, { llm }) => {
    const models = await llm.models();
    // The protocol has a date, and there is none to tell.
    const data = models.map((id) => ({ id, object: 'model', created: 0, owned_by: 'workspace' }));
    return answer(200, { object: 'list', data });
  },
  createEmbeddings: llmRoute(operations.createEmbeddings, (call, { llm }) => llm.embeddings(call)),
  createMessage: llmRoute(operations.createMessage, (call, { llm }) => llm.chat('anthropic', call)),
  listAnthropicModels: async (_input, { llm }) => {
    const models = await llm.models();
    const data = models.map((id) => ({
      type: 'model',
      id,
      display_name: id,
      created_at: CREATED_AT,
    }));
    const ends = { first_id: models[0] ?? null, last_id: models.at(-1) ?? null };
    return answer(200, { data, has_more: false, ...ends });
  },
  listLlmUsage: async ({ query, caller }, { llm }) => {
    const user = must(caller.userUid, 'the user of a session');
    const isEverybody = caller.isAdmin || caller.isReadOnlyAdmin;
    return answer(200, await llm.usage(query, { user, isEverybody }));
  },
  getLlmState: async (_input, { llm }) => answer(200, await llm.state()),
});
