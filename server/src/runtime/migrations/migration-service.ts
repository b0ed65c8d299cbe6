import type { AuditAction, AuditTrail } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { deed } from '#access/deed.ts';
import { must } from '#base/assert.ts';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { MIGRATIONS_MAX } from '#base/task-limits.ts';
import { commitAndRead } from '#graph/commit-and-read.ts';
import type { CommitPort, GraphOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import { SERVER } from '#jobs/job-viewer.ts';
import type { JobWithLog } from '#jobs/job.ts';
import type { Diagnostic } from '../compile/diagnostic.ts';
import type { EndpointCompiler } from '../compile/endpoint-compiler.ts';
import { checkCode } from '../endpoint-definition.ts';
import type { RuntimeLogger } from '../runtime-logger.ts';
import type { MigrationRunner } from './migration-runner.ts';
import type { MigrationStates } from './migration-states.ts';
import { MIGRATION_TYPE, migrationFields, type MigrationStore } from './migration-store.ts';
import { NEVER_RAN } from './migration.ts';
import type { Migration, MigrationSettings, StoredMigration } from './migration.ts';

export interface MigrationServiceParts {
  readonly store: MigrationStore;
  readonly states: MigrationStates;
  readonly runner: MigrationRunner;
  readonly compiler: EndpointCompiler;
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly jobs: JobRegistry;
  readonly clock: Clock;
  readonly logger: RuntimeLogger;
}

/** What is left out stays as it is. */
export type MigrationChange = {
  readonly [K in keyof MigrationSettings]?: MigrationSettings[K] | undefined;
};
export type NewMigration = MigrationChange & { readonly name: string; readonly code: string };

interface Deed {
  readonly caller: Caller;
  readonly address: string;
  readonly action: AuditAction;
}

/** Code that administrators have run once (specification, section 4.7). */
export class MigrationService {
  readonly #parts: MigrationServiceParts;
  /** The last change that was asked for; one follows the other. */
  #changes: Promise<unknown> = Promise.resolve();

  constructor(parts: MigrationServiceParts) {
    this.#parts = parts;
  }

  list(_caller: Caller, { skip, take }: { readonly skip: number; readonly take: number }) {
    const all = this.#parts.store.all();
    return { items: all.slice(skip, skip + take).map(shown), total: all.length, skip, take };
  }

  /** By its name, or its UID. Throws `migration_not_found`, as do those that follow. */
  get(_caller: Caller, name: string): Migration {
    return shown(this.#require(name));
  }

  /** Rejects with `migration_exists`, `too_many_migrations`. */
  create(caller: Caller, migration: NewMigration, address: string): Promise<Migration> {
    return this.#inTurn(async () => {
      const { name, code, runOnStartup = false } = migration;
      const { store } = this.#parts;
      if (store.find(name) !== undefined) {
        throw new Problem('migration_exists', `There is a migration "${name}" already`);
      }
      if (store.all().length >= MIGRATIONS_MAX) {
        throw new Problem('too_many_migrations', `There are ${MIGRATIONS_MAX} migrations already`);
      }
      const by = { caller, address, action: 'migration.created' } as const;
      return this.#write(name, { code, runOnStartup }, undefined, by);
    });
  }

  /** Rejects with `migration_running` while any is, `version_conflict`. How it ran stays. */
  put(caller: Caller, name: string, change: MigrationChange, address: string): Promise<Migration> {
    return this.#inTurn(async () => {
      const before = this.#require(name);
      this.#parts.runner.requireIdle();
      const { code = before.code, runOnStartup = before.runOnStartup } = change;
      const by = { caller, address, action: 'migration.changed' } as const;
      return this.#write(before.name, { code, runOnStartup }, before, by);
    });
  }

  /** Rejects as `put` does. */
  delete(caller: Caller, given: string, address: string): Promise<void> {
    return this.#inTurn(async () => {
      const { name, nodeVersion } = this.#require(given);
      this.#parts.runner.requireIdle();
      await commitAndRead(
        [
          { op: 'delete', type: MIGRATION_TYPE, key: name, ifVersion: nodeVersion },
          this.#trace({ caller, address, action: 'migration.deleted' }, name),
        ],
        this.#parts,
      );
    });
  }

  /**
   * One, or all that have not succeeded. Resolves with the job when it has begun. Rejects with `migration_running`,
   * `migration_succeeded`, `migration_not_compiled`.
   */
  run(caller: Caller, given: string | undefined, address: string): Promise<JobWithLog> {
    return this.#inTurn(async () => {
      const { store, runner, jobs, audit } = this.#parts;
      const wanted =
        given === undefined
          ? store.all().filter(({ status }) => status !== 'succeeded')
          : [this.#require(given)];
      runner.requireIdle();
      for (const migration of wanted) await this.#checkRunnable(migration);
      const names = wanted.map(({ name }) => name);
      const id = runner.start(names);
      await runner.begun();
      for (const name of names) {
        const target = { kind: 'migration', id: name };
        audit.record(deed('migration.run', { caller, address }, target, { jobId: id }));
      }
      return jobs.get(SERVER, id);
    });
  }

  /** Resolves when it has stopped. Rejects with `migration_not_running`, `migration_not_cancelled`. */
  async cancel(caller: Caller, given: string | undefined, address: string): Promise<Migration> {
    const { audit, runner } = this.#parts;
    const name = given === undefined ? undefined : this.#require(given).name;
    const cancelled = runner.cancel(name);
    const target = { kind: 'migration', id: name ?? 'running' };
    const stopped = await cancelled;
    audit.record(deed('migration.cancelled', { caller, address }, { ...target, id: stopped }));
    return this.get(caller, stopped);
  }

  /** One, or all that ended without success. Rejects with `migration_running` while any is. */
  reset(caller: Caller, given: string | undefined, address: string) {
    return this.#inTurn(async () => {
      const { states, store, runner } = this.#parts;
      const named = given === undefined ? undefined : this.#require(given);
      runner.requireIdle();
      const all = named === undefined ? store.all() : [named];
      const wanted = all.filter(
        ({ status }) => status !== 'pending' && (status !== 'succeeded' || named !== undefined),
      );
      const reset = wanted.map(({ name }) => name);
      const by = { caller, address, action: 'migration.reset' } as const;
      if (reset.length > 0) {
        await states.reset(wanted, this.#trace(by, named?.name ?? 'all', { reset }));
      }
      return { reset };
    });
  }

  /** Of a primary, before it is ready. */
  recover(): Promise<void> {
    return this.#parts.states.endInterrupted(new Date(this.#parts.clock.now()).toISOString());
  }

  /**
   * Of a primary, once it is ready: those that a start runs, in order, up to the first that has ended without success or does not
   * compile: what comes after it may rely on it.
   */
  start(): Promise<void> {
    return this.#inTurn(async () => {
      const { store, runner, logger } = this.#parts;
      const wanted = store
        .all()
        .filter(({ runOnStartup, status }) => runOnStartup && status !== 'succeeded');
      const names: string[] = [];
      for (const migration of wanted) {
        const { name, status } = migration;
        const isReady = status === 'pending' && (await this.#diagnose(migration)).length === 0;
        if (!isReady) {
          logger.warn({ migration: name, status }, 'migrations wait for one that did not run');
          break;
        }
        names.push(name);
      }
      if (names.length > 0) runner.start(names);
    });
  }

  async #checkRunnable(migration: StoredMigration): Promise<void> {
    const { name, status } = migration;
    if (status === 'succeeded') {
      throw new Problem('migration_succeeded', `The migration "${name}" has run already`);
    }
    const diagnostics = await this.#diagnose(migration);
    if (diagnostics.length === 0) return;
    throw new Problem('migration_not_compiled', `The migration "${name}" does not compile`, {
      details: { name, diagnostics },
    });
  }

  /** Against the schema that there is now. */
  #diagnose({ code }: { readonly code: string }): Promise<Diagnostic[]> {
    const { reader, compiler } = this.#parts;
    reader.refresh();
    return compiler.check(code, reader.schema(), false);
  }

  #require(name: string): StoredMigration {
    const { store } = this.#parts;
    const migration = store.find(name) ?? store.all().find(({ UID }) => UID === name);
    if (migration !== undefined) return migration;
    throw new Problem('migration_not_found', `There is no migration "${name}"`);
  }

  async #write(
    name: string,
    settings: MigrationSettings,
    before: StoredMigration | undefined,
    by: Deed,
  ): Promise<Migration> {
    const { store, clock } = this.#parts;
    checkCode(settings.code);
    const diagnostics = await this.#diagnose(settings);
    const fields = migrationFields({
      status: 'pending',
      ...NEVER_RAN,
      ...before,
      ...settings,
      version: (before?.version ?? 0) + 1,
      diagnostics,
      updatedBy: by.caller.userUid,
    });
    const ifVersion = before?.nodeVersion ?? 0;
    const timestamp = clock.now();
    await commitAndRead(
      [
        { op: 'addOrUpdate', type: MIGRATION_TYPE, key: name, fields, timestamp, ifVersion },
        this.#trace(by, name, { runOnStartup: settings.runOnStartup }),
      ],
      this.#parts,
    );
    return shown(must(store.find(name), 'the migration that was written'));
  }

  #trace(
    { caller, address, action }: Deed,
    id: string,
    details?: Readonly<Record<string, unknown>>,
  ): GraphOperation {
    const event = deed(action, { caller, address }, { kind: 'migration', id }, details);
    return this.#parts.audit.operation(event);
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const turn = this.#changes.then(change);
    this.#changes = turn.catch(() => {});
    return turn;
  }
}

function shown({
  nodeVersion: _version,
  updatedBy: _by,
  ...migration
}: StoredMigration): Migration {
  return migration;
}
