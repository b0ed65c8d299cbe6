import { getReplicaHealth as operation } from '@trellis/contract/operations/status.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getReplicaHealth = jsonRoute(operation, async (_input, { status }) =>
  answer(200, await status.replication()),
);
