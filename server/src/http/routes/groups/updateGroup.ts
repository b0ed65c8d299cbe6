import { updateGroup as operation } from '@trellis/contract/operations/groups.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const updateGroup = jsonRoute(
  operation,
  async ({ caller, params, body, address }, { teams }) =>
    answer(200, await teams.update(caller, params.groupUID, body, address)),
);
