import { getNodeAccess as operation } from '@trellis/contract/operations/access.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getNodeAccess = jsonRoute(operation, async ({ caller, params }, { access }) =>
  answer(200, await access.node(caller, params.uid)),
);
