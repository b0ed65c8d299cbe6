import { runMigration as operation } from '@trellis/contract/operations/migrations.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const runMigration = jsonRoute(
  operation,
  async ({ caller, params, address }, { migrations }) =>
    answer(202, await migrations.run(caller, params.name, address)),
);
