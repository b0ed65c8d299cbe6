import { createGroup as operation } from '@trellis/contract/operations/groups.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const createGroup = jsonRoute(operation, async ({ caller, body, address }, { teams }) =>
  answer(201, await teams.create(caller, body, address)),
);
