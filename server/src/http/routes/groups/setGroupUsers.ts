import { setGroupUsers as operation } from '@trellis/contract/operations/groups.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const setGroupUsers = jsonRoute(
  operation,
  async ({ caller, params, body, address }, { teams }) =>
    answer(200, await teams.setUsers(caller, params.groupUID, body, address)),
);
