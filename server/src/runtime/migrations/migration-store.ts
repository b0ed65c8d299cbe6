import { must } from '#base/assert.ts';
import type { NodeWrite } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { Diagnostic } from '../compile/diagnostic.ts';
import { NEVER_RAN } from './migration.ts';
import type { MigrationRun, MigrationStatus, StoredMigration } from './migration.ts';

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
