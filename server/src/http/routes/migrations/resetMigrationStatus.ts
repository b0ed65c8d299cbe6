import { resetMigrationStatus as operation } from '@trellis/contract/operations/migrations.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const resetMigrationStatus = jsonRoute(
  operation,
  async ({ caller, body, address }, { migrations }) =>
    answer(200, await migrations.reset(caller, body?.name, address)),
);
