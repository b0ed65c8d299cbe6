import { createTask as operation } from '@trellis/contract/operations/tasks.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const createTask = jsonRoute(operation, async ({ caller, body, address }, { tasks }) =>
  answer(201, await tasks.create(caller, body, address)),
);
