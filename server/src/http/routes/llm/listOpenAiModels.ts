import { listOpenAiModels as operation } from '@trellis/contract/operations/llm.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listOpenAiModels = jsonRoute(operation, async (_input, { llm }) => {
  const models = await llm.models();
  // The protocol has a date, and there is none to tell.
  const data = models.map((id) => ({ id, object: 'model', created: 0, owned_by: 'workspace' }));
  return answer(200, { object: 'list', data });
});
