import { listReplicas as operation } from '@trellis/contract/operations/replicas.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listReplicas = jsonRoute(operation, async (_input, { replicas }) =>
  answer(200, await replicas.list()),
);
