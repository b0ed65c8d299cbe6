import type { JobWithLog } from '@trellis/contract/shapes/job.ts';
import type { List } from '@trellis/contract/shapes/list.ts';
import type {
  Migration,
  MigrationChange,
  NewMigration,
  ResetMigrations,
} from '@trellis/contract/shapes/migration.ts';
import type { PageRequest } from './pages.ts';
import { TasksClient } from './tasks-client.ts';
import type { CallOptions } from './transport.ts';

/** Code that runs once; for administrators. */
export class MigrationsClient extends TasksClient {
  /** By name, which is the order in which they run. */
  listMigrations(page: PageRequest = {}, options?: CallOptions): Promise<List<Migration>> {
    return this.get('/api/migrations', options, { ...page });
  }

  createMigration(migration: NewMigration, options?: CallOptions): Promise<Migration> {
    return this.post('/api/migrations', migration, options);
  }

  getMigration(name: string, options?: CallOptions): Promise<Migration> {
    return this.get(migrationPath(name), options);
  }

  /** What is left out stays as it is. */
  putMigration(name: string, change: MigrationChange, options?: CallOptions): Promise<Migration> {
    return this.put(migrationPath(name), change, options);
  }

  /** What it has done stays. */
  deleteMigration(name: string, options?: CallOptions): Promise<void> {
    return this.tell('DELETE', migrationPath(name), undefined, options);
  }

  /** The job, which goes on: `watchJob` follows it. */
  runMigration(name: string, options?: CallOptions): Promise<JobWithLog> {
    return this.post(`${migrationPath(name)}/run`, undefined, options);
  }

  /** The same; without a name all that have not succeeded. */
  runMigrations(name?: string, options?: CallOptions): Promise<JobWithLog> {
    return this.post('/api/migrations/run', choice(name), options);
  }

  /** Resolves when the one that runs has stopped; throws `migration_not_cancelled` when it does not within 30 seconds. */
  cancelMigration(name?: string, options?: CallOptions): Promise<Migration> {
    return this.post('/api/migrations/cancel', choice(name), options);
  }

  /** It may run again; without a name all that ended without success. */
  resetMigrationStatus(name?: string, options?: CallOptions): Promise<ResetMigrations> {
    return this.post('/api/migrations/reset-task-status', choice(name), options);
  }
}

function choice(name: string | undefined): { readonly name?: string } {
  return name === undefined ? {} : { name };
}

function migrationPath(name: string): string {
  return `/api/migrations/${encodeURIComponent(name)}`;
}
