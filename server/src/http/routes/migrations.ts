import { operations } from '@trellis/contract/operations/migrations.ts';
import { answer, routesOf } from '../route.ts';

export const migrationsRoutes = routesOf(operations, {
  listMigrations: async ({ caller, query }, { migrations }) =>
    answer(200, await migrations.list(caller, query)),
  createMigration: async ({ caller, body, address }, { migrations }) =>
    answer(201, await migrations.create(caller, body, address)),
  runMigrations: async ({ caller, body, address }, { migrations }) =>
    answer(202, await migrations.run(caller, body?.name, address)),
  cancelMigration: async ({ caller, body, address }, { migrations }) =>
    answer(200, await migrations.cancel(caller, body?.name, address)),
  resetMigrationStatus: async ({ caller, body, address }, { migrations }) =>
    answer(200, await migrations.reset(caller, body?.name, address)),
  getMigration: async ({ caller, params }, { migrations }) =>
    answer(200, await migrations.get(caller, params.name)),
  putMigration: async ({ caller, params, body, address }, { migrations }) =>
    answer(200, await migrations.put(caller, params.name, body, address)),
  deleteMigration: async (input, { migrations }) => {
    const { caller, params, address } = input;
    await migrations.delete(caller, params.name, address);
    return answer(204);
  },
  runMigration: async ({ caller, params, address }, { migrations }) =>
    answer(202, await migrations.run(caller, params.name, address)),
  dryRunMigration: async ({ caller, params, address }, { migrations }) =>
    answer(200, await migrations.dryRun(caller, params.name, address)),
});
