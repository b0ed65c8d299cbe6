import type {
  Migration,
  MigrationChange,
  MigrationDryRun,
  NewMigration,
} from '@trellis/contract/shapes/migration.ts';
import type { JobWithLog } from '@trellis/contract/shapes/job.ts';
import { type AuditTrail, deed } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import type { Clock } from '#base/clock.ts';
import { OneAtATime } from '#base/one-at-a-time.ts';
import { Problem } from '#base/problem.ts';
import { MIGRATIONS_MAX } from '#base/migration-limits.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import { SERVER } from '#jobs/job-viewer.ts';
import { checkedMigration, type CompileVerdicts } from '../compile/compile-verdicts.ts';
import type { EndpointCompiler } from '../compile/endpoint-compiler.ts';
import { checkSeen, type CodeHistory } from '../history/code-history.ts';
import type { RuntimeLogger } from '../endpoint-log.ts';
import { MigrationChanges, migrationItem } from './migration-changes.ts';
import { MigrationRunner } from './migration-runner.ts';
import { MigrationStates, type MigrationStore, type StoredMigration } from './migration-store.ts';
import type { SearchFeed } from '../sandbox/search-feed.ts';
import type { InvocationServices } from '../invocation.ts';
import type { ModuleLinker } from '../modules/module-linker.ts';

export interface MigrationServiceParts {
  readonly store: MigrationStore;
  readonly states: MigrationStates;
  readonly runner: MigrationRunner;
  readonly compiler: EndpointCompiler;
  readonly verdicts: Pick<CompileVerdicts, 'diagnostics' | 'note' | 'warm'>;
  readonly history: CodeHistory;
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly jobs: JobRegistry;
  readonly clock: Clock;
  readonly logger: RuntimeLogger;
}

/** Code that administrators have run once (specification, section 4.7). */
export class MigrationService {
  readonly #parts: MigrationServiceParts;
  readonly #changes: MigrationChanges;
  readonly #turns = new OneAtATime();

  constructor(parts: MigrationServiceParts) {
    this.#parts = parts;
    this.#changes = new MigrationChanges(parts);
  }

  /** The same, as a part of a larger commit; nothing is run there. */
  over(
    staged: Omit<MigrationServiceParts, 'states' | 'runner' | 'audit' | 'jobs' | 'logger'>,
  ): MigrationService {
    return new MigrationService({ ...this.#parts, ...staged });
  }

  list(_caller: Caller, { skip, take }: { readonly skip: number; readonly take: number }) {
    const { store, verdicts } = this.#parts;
    const all = store.all();
    verdicts.warm();
    const items = all.slice(skip, skip + take).map((one) => this.#shown(one));
    return { items, total: all.length, skip, take };
  }

  /** By its name, or its UID. Throws `migration_not_found`, as do those that follow. */
  get(_caller: Caller, name: string): Migration {
    return this.#shown(this.#require(name));
  }

  /** By the verdict of the last check. Throws `migration_not_found`. */
  compiles(name: string): boolean {
    return this.#shown(this.#require(name)).compiles;
  }

  /** Rejects with `migration_exists`, `too_many_migrations`. */
  create(caller: Caller, migration: NewMigration, address: string): Promise<Migration> {
    return this.#turns.run(async () => {
      const { name, code, runOnStartup = false } = migration;
      if (this.#parts.store.find(name) !== undefined) {
        throw new Problem('migration_exists', `There is a migration "${name}" already`);
      }
      this.#requireRoom();
      const by = { caller, address, action: 'created' } as const;
      return this.#shown(await this.#changes.write(name, { code, runOnStartup }, undefined, by));
    });
  }

  /** Rejects with `migration_running` while any is, `version_conflict`. How it ran stays. */
  put(caller: Caller, name: string, change: MigrationChange, address: string): Promise<Migration> {
    return this.#turns.run(async () => {
      const before = this.#require(name);
      this.#parts.runner.requireIdle();
      const { code = before.code, runOnStartup = before.runOnStartup } = change;
      const by = { caller, address, action: 'changed' } as const;
      return this.#shown(
        await this.#changes.write(before.name, { code, runOnStartup }, before, by),
      );
    });
  }

  /** Rejects as `put` does. */
  delete(caller: Caller, given: string, address: string): Promise<void> {
    return this.#turns.run(async () => {
      const before = this.#require(given);
      this.#parts.runner.requireIdle();
      await this.#changes.delete(before, { caller, address, action: 'deleted' });
    });
  }

  /**
   * A new version with the content of an old one, also of one that is deleted, which is pending
   * then; how another ran stays. Rejects with `code_version_not_found`, `version_conflict`,
   * `migration_running`, `too_many_migrations`.
   */
  restore(
    caller: Caller,
    name: string,
    { version, seen }: { readonly version: number; readonly seen?: number | undefined },
    address: string,
  ): Promise<Migration> {
    return this.#turns.run(async () => {
      const { store, runner, history } = this.#parts;
      const item = migrationItem(name);
      const { code, settings } = history.get(item, version);
      runner.requireIdle();
      checkSeen(history, item, { seen, current: history.lastVersion(item) });
      const before = store.find(name);
      if (before === undefined) this.#requireRoom();
      const by = { caller, address, action: 'restored' } as const;
      return this.#shown(await this.#changes.write(name, { code, ...settings }, before, by));
    });
  }

  /**
   * One, or all that have not succeeded. Resolves with the job when it has begun. Rejects with
   * `migration_running`, `migration_succeeded`, `migration_not_compiled`.
   */
  run(caller: Caller, given: string | undefined, address: string): Promise<JobWithLog> {
    return this.#turns.run(async () => {
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

  /**
   * What a run would change, also of one that has run. Rejects with `migration_running`,
   * `migration_not_compiled`.
   */
  async dryRun(caller: Caller, given: string, address: string): Promise<MigrationDryRun> {
    const { runner, audit } = this.#parts;
    const migration = this.#require(given);
    runner.requireIdle();
    await this.#checkCompiles(migration);
    const { name } = migration;
    const done = await runner.dryRun(migration);
    const details = { outcome: done.outcome };
    audit.record(
      deed('migration.dry-run', { caller, address }, { kind: 'migration', id: name }, details),
    );
    return done;
  }

  /**
   * Resolves when it has stopped. Rejects with `migration_not_running`, `migration_not_cancelled`.
   */
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
    return this.#turns.run(async () => {
      const { states, store, runner } = this.#parts;
      const named = given === undefined ? undefined : this.#require(given);
      runner.requireIdle();
      const all = named === undefined ? store.all() : [named];
      const wanted = all.filter(
        ({ status }) => status !== 'pending' && (status !== 'succeeded' || named !== undefined),
      );
      const reset = wanted.map(({ name }) => name);
      if (reset.length > 0) {
        const by = { caller, address };
        const trace = this.#changes.trace('migration.reset', by, named?.name ?? 'all', { reset });
        await states.reset(wanted, trace);
      }
      return { reset };
    });
  }

  /** A primary calls it before it is ready. */
  recover(): Promise<void> {
    return this.#parts.states.endInterrupted(new Date(this.#parts.clock.now()).toISOString());
  }

  /**
   * Runs those that a start of a primary runs once it is ready, in order, up to the first that has
   * ended without success or does not compile: what comes after it may rely on it.
   */
  start(): Promise<void> {
    return this.#turns.run(async () => {
      const { store, runner, logger } = this.#parts;
      const wanted = store
        .all()
        .filter(({ runOnStartup, status }) => runOnStartup && status !== 'succeeded');
      const names: string[] = [];
      for (const migration of wanted) {
        const { name, status } = migration;
        const isReady =
          status === 'pending' && (await this.#changes.diagnose(migration)).length === 0;
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
    await this.#checkCompiles(migration);
  }

  async #checkCompiles(migration: StoredMigration): Promise<void> {
    const { name } = migration;
    const diagnostics = await this.#changes.diagnose(migration);
    if (diagnostics.length === 0) return;
    throw new Problem('migration_not_compiled', `The migration "${name}" does not compile`, {
      details: { name, diagnostics },
    });
  }

  #requireRoom(): void {
    if (this.#parts.store.all().length < MIGRATIONS_MAX) return;
    throw new Problem('too_many_migrations', `There are ${MIGRATIONS_MAX} migrations already`);
  }

  #require(name: string): StoredMigration {
    const { store } = this.#parts;
    const migration = store.find(name) ?? store.all().find(({ UID }) => UID === name);
    if (migration !== undefined) return migration;
    throw new Problem('migration_not_found', `There is no migration "${name}"`);
  }

  /** With the verdict of the last check, which is what a run would be told. */
  #shown(migration: StoredMigration): Migration {
    const { nodeVersion: _version, updatedBy: _by, ...shown } = migration;
    const diagnostics = this.#parts.verdicts.diagnostics(checkedMigration(migration));
    return { ...shown, compiles: diagnostics.length === 0, diagnostics };
  }
}

interface MigrationsOptions {
  /** The folder of the state; absolute. */
  readonly storage: string;
  /** Key of an encrypted graph. */
  readonly environmentKey: string | undefined;
  readonly store: MigrationStore;
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly jobs: JobRegistry;
  readonly clock: Clock;
  readonly logger: RuntimeLogger;
  readonly redact: (json: string) => string;
  readonly compiler: EndpointCompiler;
  readonly verdicts: CompileVerdicts;
  readonly history: CodeHistory;
  readonly services: () => InvocationServices;
  readonly linker: ModuleLinker;
  readonly search: SearchFeed;
  readonly cancelWaitMs?: number | undefined;
  readonly forcedEndMs?: number | undefined;
  readonly dryRunMaxMs?: number | undefined;
}

export interface OpenMigrations extends AsyncDisposable {
  readonly service: MigrationService;
}

/** Puts together what runs code once. */
export function openMigrations(options: MigrationsOptions): OpenMigrations {
  const states = new MigrationStates(options);
  const { storage, environmentKey, logger } = options;
  const pool = { storage, environmentKey, logger };
  const runner = new MigrationRunner({ ...options, states, pool });
  return {
    service: new MigrationService({ ...options, states, runner }),
    [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
  };
}
