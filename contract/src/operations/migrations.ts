import { CHANGE_ERRORS, type Rows, STORE_ERRORS, withIds } from '../operation.ts';
import { jobWithLog } from '../shapes/job.ts';
import { listOf, pageQuery } from '../shapes/list.ts';
import {
  migration,
  migrationChange,
  migrationChoice,
  migrationDryRun,
  migrationInPath,
  newMigration,
  resetMigrations,
} from '../shapes/migration.ts';
import { LONG_BODY_BYTES_MAX } from '../request-limits.ts';

const reads = { area: 'migrations', auth: 'admin', onReplica: 'redirect' } as const;
const writes = { ...reads, auth: 'admin-write' } as const;

export const operations = withIds({
  listMigrations: {
    ...reads,
    sdk: 'migrations.list',
    method: 'GET',
    path: '/api/migrations',
    query: pageQuery,
    responses: { 200: { description: 'Migrations, by name.', body: listOf(migration) } },
    errors: [],
    summary: 'List the migrations: code that runs once.',
  },

  createMigration: {
    ...writes,
    sdk: 'migrations.create',
    method: 'POST',
    path: '/api/migrations',
    bodyBytesMax: LONG_BODY_BYTES_MAX,
    body: newMigration,
    responses: { 201: { description: 'The migration, which has not run.', body: migration } },
    errors: ['migration_exists', 'too_many_migrations', ...CHANGE_ERRORS],
    summary: 'Make a migration; code that does not compile is kept, and does not run.',
  },

  runMigrations: {
    ...writes,
    sdk: 'migrations.runAll',
    method: 'POST',
    path: '/api/migrations/run',
    body: migrationChoice,
    responses: { 202: { description: 'The job, which goes on.', body: jobWithLog } },
    errors: [
      'migration_not_found',
      'migration_running',
      'migration_succeeded',
      'migration_not_compiled',
      ...STORE_ERRORS,
    ],
    summary: 'Run the migration that is named, or all that have not succeeded, by name.',
  },

  cancelMigration: {
    ...writes,
    sdk: 'migrations.cancel',
    method: 'POST',
    path: '/api/migrations/cancel',
    body: migrationChoice,
    responses: { 200: { description: 'The migration, which has stopped.', body: migration } },
    errors: ['migration_not_found', 'migration_not_running', 'migration_not_cancelled'],
    summary: 'Cancel the migration that runs, and wait up to 30 seconds for it to stop.',
  },

  resetMigrationStatus: {
    ...writes,
    sdk: 'migrations.resetStatus',
    method: 'POST',
    path: '/api/migrations/reset-task-status',
    body: migrationChoice,
    responses: { 200: { description: 'They can be run again.', body: resetMigrations } },
    errors: ['migration_not_found', 'migration_running', ...STORE_ERRORS],
    summary: 'Let the migration that is named run again, or all that ended without success.',
  },

  getMigration: {
    ...reads,
    sdk: 'migrations.get',
    method: 'GET',
    path: '/api/migrations/{name}',
    params: migrationInPath,
    responses: { 200: { description: 'The migration.', body: migration } },
    errors: ['migration_not_found'],
    summary: 'Read a migration with its code, and how it ran.',
  },

  putMigration: {
    ...writes,
    sdk: 'migrations.put',
    method: 'PUT',
    path: '/api/migrations/{name}',
    params: migrationInPath,
    bodyBytesMax: LONG_BODY_BYTES_MAX,
    body: migrationChange,
    responses: { 200: { description: 'The migration after the change.', body: migration } },
    errors: ['migration_not_found', 'migration_running', ...CHANGE_ERRORS],
    summary: 'Change a migration that is not running; what is left out stays as it is.',
  },

  deleteMigration: {
    ...writes,
    sdk: 'migrations.delete',
    method: 'DELETE',
    path: '/api/migrations/{name}',
    params: migrationInPath,
    responses: { 204: { description: 'It is gone; what it has done stays.' } },
    errors: ['migration_not_found', 'migration_running', ...CHANGE_ERRORS],
    summary: 'Delete a migration that is not running.',
  },

  runMigration: {
    ...writes,
    sdk: 'migrations.run',
    method: 'POST',
    path: '/api/migrations/{name}/run',
    params: migrationInPath,
    responses: { 202: { description: 'The job, which goes on.', body: jobWithLog } },
    errors: [
      'migration_not_found',
      'migration_running',
      'migration_succeeded',
      'migration_not_compiled',
      ...STORE_ERRORS,
    ],
    summary: 'Run a migration that has not succeeded.',
  },

  dryRunMigration: {
    ...writes,
    sdk: 'migrations.dryRun',
    method: 'POST',
    path: '/api/migrations/{name}/dry-run',
    params: migrationInPath,
    responses: { 200: { description: 'What it would change.', body: migrationDryRun } },
    errors: [
      'migration_not_found',
      'migration_running',
      'migration_not_compiled',
      'migration_interrupted',
    ],
    summary: 'Run a migration for up to 30 seconds, count what it would change, and write nothing.',
  },
} as const satisfies Rows);
