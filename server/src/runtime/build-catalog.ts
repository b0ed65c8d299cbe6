import type { GraphReader } from '#graph/reader.ts';
import { checkedEndpoint, checkedMigration } from './compile/checked-code.ts';
import type { CompileVerdicts } from './compile/compile-verdicts.ts';
import { isBuiltIn } from './endpoint-definition.ts';
import type { EndpointStore, StoredEndpoint } from './endpoint-store.ts';
import type { Author, CodeKind } from './history/code-history.ts';
import type { MigrationStore } from './migrations/migration-store.ts';
import type { StoredMigration } from './migrations/migration.ts';

/** One leaf of the Build tree (open-shapes, section 8). */
export interface CatalogItem {
  readonly uid: string;
  readonly kind: CodeKind;
  readonly name: string;
  /** What stands before the last "/" of the name. */
  readonly folder: string;
  /** This and the next two only of an endpoint. */
  readonly isReadOnly?: boolean;
  readonly mayRunOnPrimary?: boolean;
  /** The server brings it along: it cannot be changed. */
  readonly isBuiltIn?: boolean;
  readonly compiles: boolean;
  /** ISO 8601 UTC. */
  readonly updatedAt: string;
  readonly updatedBy: Author | null;
}

export interface BuildCatalogParts {
  readonly store: EndpointStore;
  readonly migrations: MigrationStore;
  readonly reader: GraphReader;
  readonly verdicts: CompileVerdicts;
}

/** Everything that the Build tree draws, endpoints first, each kind by name: without source and without compiling. */
export class BuildCatalog {
  readonly #parts: BuildCatalogParts;

  constructor(parts: BuildCatalogParts) {
    this.#parts = parts;
  }

  items(): CatalogItem[] {
    const { store, migrations } = this.#parts;
    return [
      ...store.all().map((endpoint) => this.#item(endpoint)),
      ...migrations.all().map((migration) => this.#migrationItem(migration)),
    ];
  }

  #item(endpoint: StoredEndpoint): CatalogItem {
    const { UID: uid, name, isReadOnly, mayRunOnPrimary } = endpoint.definition;
    return {
      uid,
      kind: 'endpoint',
      name,
      folder: name.slice(0, Math.max(0, name.lastIndexOf('/'))),
      isReadOnly,
      mayRunOnPrimary,
      isBuiltIn: isBuiltIn(name),
      compiles: this.#parts.verdicts.compiles(checkedEndpoint(endpoint)),
      updatedAt: endpoint.updatedAt,
      updatedBy: this.#author(endpoint.updatedBy),
    };
  }

  #migrationItem(migration: StoredMigration): CatalogItem {
    const { UID: uid, name, updatedAt, updatedBy: by } = migration;
    const compiles = this.#parts.verdicts.compiles(checkedMigration(migration));
    const updatedBy = this.#author(by);
    return { uid, kind: 'migration', name, folder: '', compiles, updatedAt, updatedBy };
  }

  /** Users are never deleted. */
  #author(uid: string | null): Author | null {
    if (uid === null) return null;
    const { reader } = this.#parts;
    const id = reader.id({ uid });
    const name = id === undefined ? undefined : reader.field(id, 'UserName');
    return { uid, name: typeof name === 'string' ? name : '' };
  }
}
