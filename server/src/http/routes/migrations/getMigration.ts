import { getMigration as operation } from '@trellis/contract/operations/migrations.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getMigration = jsonRoute(operation, async ({ caller, params }, { migrations }) =>
  answer(200, await migrations.get(caller, params.name)),
);
