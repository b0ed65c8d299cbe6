import { resolvePrincipals as operation } from '@trellis/contract/operations/access.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const resolvePrincipals = jsonRoute(operation, async ({ caller, body }, { principals }) =>
  answer(200, await principals.resolve(caller, body)),
);
