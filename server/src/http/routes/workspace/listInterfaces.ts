import { listInterfaces as operation } from '@trellis/contract/operations/interfaces.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listInterfaces = jsonRoute(operation, async ({ caller, query }, { interfaces }) =>
  answer(200, await interfaces.list(caller, query)),
);
