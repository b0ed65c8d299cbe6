import { listGroups as operation } from '@trellis/contract/operations/groups.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listGroups = jsonRoute(operation, async ({ caller, query }, { teams }) =>
  answer(200, await teams.list(caller, query)),
);
