import { createPasswordResetLink as operation } from '@trellis/contract/operations/users.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const createPasswordResetLink = jsonRoute(
  operation,
  async ({ caller, params, address }, { passwordReset }) =>
    answer(201, await passwordReset.createLink(caller, params.uid, address)),
);
