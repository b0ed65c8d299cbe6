import { type AuditAction, type AuditTrail, deed, type Doer } from '#access/audit-event.ts';
import { must } from '#base/assert.ts';
import type { Clock } from '#base/clock.ts';
import { commitAndRead } from '#graph/commit-and-read.ts';
import type { CommitPort, WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { Diagnostic } from '@trellis/contract/shapes/endpoint.ts';
import { checkedMigration, type CompileVerdicts } from '../compile/compile-verdicts.ts';
import type { EndpointCompiler } from '../compile/endpoint-compiler.ts';
import { checkCode } from '../endpoint-definition.ts';
import type { CodeAction, CodeHistory, CodeItem } from '../history/code-history.ts';
import type { CodeContent } from '../history/unified-diff.ts';
import {
  MIGRATION_TYPE,
  migrationFields,
  NEVER_RAN,
  type MigrationStore,
  type MigrationSettings,
  type StoredMigration,
} from './migration-store.ts';

export interface MigrationChangesParts {
  readonly store: MigrationStore;
  readonly compiler: EndpointCompiler;
  readonly verdicts: Pick<CompileVerdicts, 'note'>;
  readonly history: CodeHistory;
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly clock: Clock;
}

/** Who changes it, and in which way. */
export interface Change extends Doer {
  readonly action: CodeAction;
}

interface VersionContent {
  readonly version: number;
  readonly before: MigrationSettings | undefined;
  readonly after: MigrationSettings | undefined;
}

/**
 * Writes migrations: each change with its version in the history and its event in the audit, in one
 * commit.
 */
export class MigrationChanges {
  readonly #parts: MigrationChangesParts;

  constructor(parts: MigrationChangesParts) {
    this.#parts = parts;
  }

  /** How one ran that was there before stays. */
  async write(
    name: string,
    settings: MigrationSettings,
    before: StoredMigration | undefined,
    by: Change,
  ): Promise<StoredMigration> {
    const { store, clock, verdicts } = this.#parts;
    checkCode(settings.code);
    const { schema, diagnostics } = await this.#check(settings.code);
    const version = this.#nextVersion(name, before);
    const fields = migrationFields({
      status: 'pending',
      ...NEVER_RAN,
      ...before,
      ...settings,
      version,
      diagnostics,
      updatedBy: by.caller.userUid,
    });
    const ifVersion = before?.nodeVersion ?? 0;
    const timestamp = clock.now();
    await commitAndRead(
      [
        { op: 'addOrUpdate', type: MIGRATION_TYPE, key: name, fields, timestamp, ifVersion },
        ...this.#versionOperations(name, { version, before, after: settings }, by),
        this.trace(`migration.${by.action}`, by, name, { runOnStartup: settings.runOnStartup }),
      ],
      this.#parts,
    );
    const written = must(store.find(name), 'the migration that was written');
    verdicts.note(checkedMigration(written), schema, diagnostics);
    return written;
  }

  async delete(before: StoredMigration, by: Change): Promise<void> {
    const { name, nodeVersion } = before;
    const version = { version: this.#nextVersion(name, before), before, after: undefined };
    await commitAndRead(
      [
        { op: 'delete', type: MIGRATION_TYPE, key: name, ifVersion: nodeVersion },
        ...this.#versionOperations(name, version, by),
        this.trace('migration.deleted', by, name),
      ],
      this.#parts,
    );
  }

  /** Against the schema that there is now. */
  async diagnose(migration: StoredMigration): Promise<readonly Diagnostic[]> {
    const { schema, diagnostics } = await this.#check(migration.code);
    this.#parts.verdicts.note(checkedMigration(migration), schema, diagnostics);
    return diagnostics;
  }

  async #check(code: string) {
    const { reader, compiler } = this.#parts;
    reader.refresh();
    const schema = reader.schema();
    return { schema, diagnostics: await compiler.check({ code, isReadOnly: false }, schema) };
  }

  trace(
    action: AuditAction,
    by: Doer,
    id: string,
    details?: Readonly<Record<string, unknown>>,
  ): WriterOperation {
    return this.#parts.audit.operation(deed(action, by, { kind: 'migration', id }, details));
  }

  /** Numbers go on when one is deleted and made anew. */
  #nextVersion(name: string, before: StoredMigration | undefined): number {
    const last = this.#parts.history.lastVersion(migrationItem(name));
    return Math.max(before?.version ?? 0, last) + 1;
  }

  #versionOperations(
    name: string,
    { before, after, version }: VersionContent,
    { caller, action }: Change,
  ): WriterOperation[] {
    const { history, clock } = this.#parts;
    return history.operations({
      ...migrationItem(name),
      version,
      action,
      caller,
      nowMs: clock.now(),
      before: before && contentOf(before),
      after: after && contentOf(after),
    });
  }
}

/** A migration as the history of code knows it. */
export function migrationItem(name: string): CodeItem<'migration'> {
  return { kind: 'migration', name };
}

/** How it ran is no part of it. */
function contentOf({ code, runOnStartup }: MigrationSettings): CodeContent {
  return { code, settings: { runOnStartup } };
}
