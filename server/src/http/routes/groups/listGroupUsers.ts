import { listGroupUsers as operation } from '@trellis/contract/operations/groups.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listGroupUsers = jsonRoute(operation, async ({ caller, params, query }, { teams }) => {
  const { nested, ...page } = query;
  return answer(
    200,
    await teams.listUsers(caller, params.groupUID, { ...page, nested: nested === 'true' }),
  );
});
