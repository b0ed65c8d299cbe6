import { getNode as operation } from '@trellis/contract/operations/nodes.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getNode = jsonRoute(operation, async ({ caller, params }, { nodes }) =>
  answer(200, await nodes.get(caller, params.uid)),
);
