import { runMigrations as operation } from '@trellis/contract/operations/migrations.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const runMigrations = jsonRoute(
  operation,
  async ({ caller, body, address }, { migrations }) =>
    answer(202, await migrations.run(caller, body?.name, address)),
);
