import { registerReplica as operation } from '@trellis/contract/operations/replicas.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const registerReplica = jsonRoute(operation, async ({ body, address }, { replicas }) =>
  answer(200, await replicas.register(body, address)),
);
