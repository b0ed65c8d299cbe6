import { listMigrations as operation } from '@trellis/contract/operations/migrations.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listMigrations = jsonRoute(operation, async ({ caller, query }, { migrations }) =>
  answer(200, await migrations.list(caller, query)),
);
