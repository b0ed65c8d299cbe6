import { listAnthropicModels as operation } from '@trellis/contract/operations/llm.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

/** The protocol has a date, and there is none to tell. */
const CREATED_AT = '1970-01-01T00:00:00Z';

export const listAnthropicModels = jsonRoute(operation, async (_input, { llm }) => {
  const models = await llm.models();
  const data = models.map((id) => ({
    type: 'model',
    id,
    display_name: id,
    created_at: CREATED_AT,
  }));
  const ends = { first_id: models[0] ?? null, last_id: models.at(-1) ?? null };
  return answer(200, { data, has_more: false, ...ends });
});
