import type { Diagnostic } from '@trellis/contract/shapes/endpoint.ts';
import { must } from '#base/assert.ts';
import type { CommitPort, WriterOperation, NodeWrite } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { Problem } from '#base/problem.ts';
import { commitAndRead } from '#graph/commit-and-read.ts';
import type { Migration } from '@trellis/contract/shapes/migration.ts';

/** What is decided about a migration (open-shapes, section 8). */
export interface MigrationSettings {
  readonly code: string;
  /** Whether a start of the primary runs it, when it has not run yet. */
  readonly runOnStartup: boolean;
}

/** `interrupted`: the process ended first. All but the first two are ends. */
export type MigrationStatus =
  | 'pending'
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'cancelled'
  | 'interrupted';

/** How a migration ran last; times are ISO 8601 UTC. Nothing of one that never ran. */
export interface MigrationRun {
  readonly ranVersion: number | null;
  readonly jobId: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  /** The last lines of what it logged, oldest first. */
  readonly log: readonly { readonly at: string; readonly text: string }[];
}

export interface StoredMigration extends Migration {
  /** UID of a user; null when the server itself did it. */
  readonly updatedBy: string | null;
  /** Version of the node, for optimistic changes. */
  readonly nodeVersion: number;
}

export const NEVER_RAN: MigrationRun = {
  ranVersion: null,
  jobId: null,
  startedAt: null,
  endedAt: null,
  error: null,
  log: [],
};

/** The node type in which migrations are stored: see `#graph/system-schema.ts`. */
export const MIGRATION_TYPE = '_Migration';

/** Reads the migrations that there are. */
export class MigrationStore {
  readonly #reader: GraphReader;

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  find(name: string): StoredMigration | undefined {
    this.#reader.refresh();
    const id = this.#reader.id({ type: MIGRATION_TYPE, key: name });
    return id === undefined ? undefined : this.#read(id);
  }

  /** By name, which is the order in which they run. */
  all(): StoredMigration[] {
    this.#reader.refresh();
    return [...this.#reader.idsOfType(MIGRATION_TYPE)]
      .map((id) => this.#read(id))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  #read(id: number): StoredMigration {
    const node = must(this.#reader.node(id), 'the node of a migration');
    const diagnostics = (node['Diagnostics'] ?? []) as readonly Diagnostic[];
    const updatedBy = node['UpdatedBy'];
    return {
      UID: node.UID,
      name: String(node.Id),
      code: String(node['Code'] ?? ''),
      runOnStartup: node['RunOnStartup'] === true,
      status: node['Status'] as MigrationStatus,
      version: Number(node['Version']),
      compiles: diagnostics.length === 0,
      diagnostics,
      ...NEVER_RAN,
      ...(node['Run'] as MigrationRun | undefined),
      updatedAt: node.Timestamp,
      updatedBy: typeof updatedBy === 'string' ? updatedBy : null,
      nodeVersion: must(this.#reader.version(id), 'the version of a node'),
    };
  }
}

/** The way there: nothing else writes these nodes. */
export function migrationFields(
  migration: Omit<StoredMigration, 'UID' | 'name' | 'compiles' | 'updatedAt' | 'nodeVersion'>,
): NonNullable<NodeWrite['fields']> {
  const { ranVersion, jobId, startedAt, endedAt, error, log } = migration;
  return {
    Code: migration.code,
    RunOnStartup: migration.runOnStartup,
    Status: migration.status,
    Version: migration.version,
    Diagnostics: migration.diagnostics,
    Run: { ranVersion, jobId, startedAt, endedAt, error, log },
    UpdatedBy: migration.updatedBy,
  };
}

interface MigrationStatesParts {
  readonly store: MigrationStore;
  readonly reader: GraphReader;
  readonly commits: CommitPort;
}

/**
 * How migrations ran, written where they are: a run is known before its code begins, and its end
 * once it is over.
 */
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
      'The server stopped before the migration ended.',
    );
    const error = { code, message };
    const ended = running.map((one) =>
      this.#write(one.name, 'interrupted', { ...one, endedAt, error }),
    );
    if (ended.length > 0) await this.#commit(ended);
  }

  /** They may run again; how they ran last stays to be seen. */
  async reset(migrations: readonly StoredMigration[], trace: WriterOperation): Promise<void> {
    const writes = migrations.map((one) => this.#write(one.name, 'pending', one));
    await this.#commit([...writes, trace]);
  }

  #write(name: string, status: MigrationStatus, run: MigrationRun): WriterOperation {
    const { ranVersion, jobId, startedAt, endedAt, error, log } = run;
    const fields = {
      Status: status,
      Run: { ranVersion, jobId, startedAt, endedAt, error, log },
    };
    return { op: 'update', type: MIGRATION_TYPE, key: name, fields };
  }

  #commit(operations: readonly WriterOperation[]): Promise<void> {
    return commitAndRead(operations, this.#parts);
  }
}
