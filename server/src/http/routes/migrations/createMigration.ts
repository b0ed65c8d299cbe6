import { createMigration as operation } from '@trellis/contract/operations/migrations.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const createMigration = jsonRoute(
  operation,
  async ({ caller, body, address }, { migrations }) =>
    answer(201, await migrations.create(caller, body, address)),
);
