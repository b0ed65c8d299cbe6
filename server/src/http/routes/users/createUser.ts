import { createUser as operation } from '@trellis/contract/operations/users.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const createUser = jsonRoute(operation, async ({ caller, body, address }, { users }) =>
  answer(201, await users.create(caller, body, address)),
);
