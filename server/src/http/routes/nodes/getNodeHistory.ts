import { getNodeHistory as operation } from '@trellis/contract/operations/nodes.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getNodeHistory = jsonRoute(operation, async ({ caller, params, query }, { nodes }) =>
  answer(200, await nodes.history(caller, params.uid, query)),
);
