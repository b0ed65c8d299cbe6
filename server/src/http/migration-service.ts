import type { Caller } from '#access/caller.ts';
import type { JobWithLog } from '@trellis/contract/shapes/job.ts';
import type { List, Page } from '@trellis/contract/shapes/list.ts';
import type {
  Migration,
  MigrationChange,
  NewMigration,
  ResetMigrations,
} from '@trellis/contract/shapes/migration.ts';
import type { Awaitable } from './answer.ts';

/** Code that runs once. What names a migration throws `migration_not_found`. */
export interface MigrationService {
  list(caller: Caller, page: Page): Awaitable<List<Migration>>;
  get(caller: Caller, name: string): Awaitable<Migration>;
  /** Throws `migration_exists`, `too_many_migrations`. */
  create(caller: Caller, migration: NewMigration, address: string): Promise<Migration>;
  /** This and the next throw `migration_running`. */
  put(caller: Caller, name: string, change: MigrationChange, address: string): Promise<Migration>;
  delete(caller: Caller, name: string, address: string): Promise<void>;
  /** All that have not succeeded when none is named. Throws `migration_running`, `migration_succeeded`, `migration_not_compiled`. */
  run(caller: Caller, name: string | undefined, address: string): Promise<JobWithLog>;
  /** Throws `migration_not_running`, `migration_not_cancelled`. */
  cancel(caller: Caller, name: string | undefined, address: string): Promise<Migration>;
  /** All that ended without success when none is named. Throws `migration_running`. */
  reset(caller: Caller, name: string | undefined, address: string): Promise<ResetMigrations>;
}
