import { must } from '#base/assert.ts';
import { listLlmUsage as operation } from '@trellis/contract/operations/llm.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listLlmUsage = jsonRoute(operation, async ({ query, caller }, { llm }) => {
  const user = must(caller.userUid, 'the user of a session');
  const isEverybody = caller.isAdmin || caller.isReadOnlyAdmin;
  return answer(200, await llm.usage(query, { user, isEverybody }));
});
