import { getGroup as operation } from '@trellis/contract/operations/groups.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getGroup = jsonRoute(operation, async ({ caller, params }, { teams }) =>
  answer(200, await teams.get(caller, params.groupUID)),
);
