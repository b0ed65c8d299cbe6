import { putTypeAccess as operation } from '@trellis/contract/operations/access.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const putTypeAccess = jsonRoute(operation, async ({ caller, body, address }, { access }) =>
  answer(200, await access.putTypes(caller, body, address)),
);
