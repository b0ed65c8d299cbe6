import { queryNodes as operation } from '@trellis/contract/operations/nodes.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const queryNodes = jsonRoute(operation, async ({ caller, body }, { nodes }) =>
  answer(200, await nodes.query(caller, body)),
);
