import { Problem } from '#base/problem.ts';
import { must } from '#base/assert.ts';
import { commitAndRead } from '#graph/commit-and-read.ts';
import type { CommitPort, GraphOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { MigrationStore } from './migration-store.ts';
import { MIGRATION_TYPE } from './migration-store.ts';
import { NEVER_RAN } from './migration.ts';
import type { MigrationRun, MigrationStatus, StoredMigration } from './migration.ts';

export interface MigrationStatesParts {
  readonly store: MigrationStore;
  readonly reader: GraphReader;
  readonly commits: CommitPort;
}

/** How migrations ran, written where they are: a run is known before its code begins, and its end once it is over. */
export class MigrationStates {
  readonly #parts: MigrationStatesParts;

  constructor(parts: MigrationStatesParts) {
    this.#parts = parts;
  }

  async begin(name: string, jobId: string, startedAt: string): Promise<StoredMigration> {
    const migration = must(this.#parts.store.find(name), 'a migration that is to run');
    const run = { ...NEVER_RAN, ranVersion: migration.version, jobId, startedAt };
    await this.#commit([this.#write(name, 'running', run)]);
    return { ...migration, ...run, status: 'running' };
  }

  end(name: string, status: MigrationStatus, run: MigrationRun): Promise<void> {
    return this.#commit([this.#write(name, status, run)]);
  }

  /** What was under way when the server ended is over. */
  async endInterrupted(endedAt: string): Promise<void> {
    const running = this.#parts.store.all().filter(({ status }) => status === 'running');
    const { code, message } = new Problem(
      'migration_interrupted',
      'The server ended before it did.',
    );
    const error = { code, message };
    const ended = running.map((one) =>
      this.#write(one.name, 'interrupted', { ...one, endedAt, error }),
    );
    if (ended.length > 0) await this.#commit(ended);
  }

  /** They may run again; how they ran last stays to be seen. */
  async reset(migrations: readonly StoredMigration[], trace: GraphOperation): Promise<void> {
    const writes = migrations.map((one) => this.#write(one.name, 'pending', one));
    await this.#commit([...writes, trace]);
  }

  #write(name: string, status: MigrationStatus, run: MigrationRun): GraphOperation {
    const { ranVersion, jobId, startedAt, endedAt, error, log } = run;
    const fields = {
      Status: status,
      Run: { ranVersion, jobId, startedAt, endedAt, error, log },
    };
    return { op: 'update', type: MIGRATION_TYPE, key: name, fields };
  }

  #commit(operations: readonly GraphOperation[]): Promise<void> {
    return commitAndRead(operations, this.#parts);
  }
}
