import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { Diagnostic } from '@trellis/contract/shapes/endpoint.ts';
import type { CodeKind, CompileStatus } from '@trellis/contract/shapes/build.ts';
import { setImmediate as turn } from 'node:timers/promises';
import type { GraphReader } from '#graph/reader.ts';
import type { JobRegistry, RunningJob } from '#jobs/job-registry.ts';
import type { EndpointStore, StoredEndpoint } from '../endpoint-store.ts';
import type { MigrationStore, StoredMigration } from '../migrations/migration-store.ts';
import type { ModuleStore, StoredModule } from '../modules/module-store.ts';
import type { RuntimeLogger } from '../endpoint-log.ts';
import type { EndpointCompiler } from './endpoint-compiler.ts';
import { headDiagnostics, type ScheduleFault } from './head-diagnostics.ts';

export interface CompileVerdictsOptions {
  readonly store: EndpointStore;
  readonly migrations: MigrationStore;
  readonly modules: ModuleStore;
  readonly reader: GraphReader;
  readonly compiler: EndpointCompiler;
  /** The versions of the endpoints that code may run; `self` is the endpoint whose code it is. */
  readonly callable: { versionsFor(code: string, self?: string): string };
  readonly logger: RuntimeLogger;
  readonly jobs: JobRegistry;
  readonly scheduleFault: ScheduleFault;
}

interface Verdict {
  readonly schema: SchemaDocument;
  /** Of the endpoints that the code may run, and the modules that it imports. */
  readonly versions: string;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Which endpoints, migrations and modules compile against the schema of now. Kept in memory: what
 * is stored with them is the verdict of their saving. What serves goes on serving whatever is found
 * here, and no migration is run for it; those that have succeeded are done with, and not checked.
 *
 * What has no verdict is checked in the background: one at a time, so that a check that somebody
 * waits for waits for one of these at most; and from the beginning when the schema changes
 * meanwhile.
 */
export class CompileVerdicts {
  readonly #options: CompileVerdictsOptions;
  /** By identity: changed code is another one. */
  readonly #verdicts = new Map<string, Verdict>();
  #schema: SchemaDocument;
  #checking: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: CompileVerdictsOptions) {
    this.#options = options;
    options.reader.refresh();
    this.#schema = options.reader.schema();
  }

  /** From the caches; begins to fill them where they are cold (specification, section 3.3). */
  status(): CompileStatus {
    const Pending = this.warm();
    const failing = this.#all().filter((code) => !this.compiles(code));
    return { FailingIds: failing.map(({ uid }) => uid), Pending };
  }

  /** Begins to check what has no verdict of the schema of now; whether there is any. */
  warm(): boolean {
    const isCold = this.#pending().length > 0;
    if (isCold) this.#start();
    return isCold;
  }

  compiles(code: CheckedCode): boolean {
    return this.diagnostics(code).length === 0;
  }

  /** As of the last check, which may be the one at saving. */
  diagnostics({ identity, diagnostics }: CheckedCode): readonly Diagnostic[] {
    return this.#verdicts.get(identity)?.diagnostics ?? diagnostics;
  }

  /** What somebody has found out by checking code against a schema. */
  note(code: CheckedCode, schema: SchemaDocument, diagnostics: readonly Diagnostic[]): void {
    this.#verdicts.set(code.identity, { schema, versions: this.#versions(code), diagnostics });
  }

  /** To be called after a commit that may have changed the schema: then all is checked again. */
  schemaMayHaveChanged(): void {
    const { reader } = this.#options;
    reader.refresh();
    if (reader.schema() !== this.#schema) this.#start();
  }

  /** Resolves when nothing is being checked any more. */
  async settled(): Promise<void> {
    await this.#checking;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#checking;
  }

  #start(): void {
    if (this.#isClosed) return;
    const job = { kind: 'endpoint-recheck', step: 'Checking endpoints and migrations' } as const;
    this.#checking ??= this.#options.jobs
      .run(job, (running) => this.#checkAll(running))
      .catch((error: unknown) => {
        if (this.#isClosed) return;
        this.#options.logger.error(
          { err: error },
          'endpoints and migrations could not be checked again',
        );
      })
      .finally(() => {
        this.#checking = undefined;
      });
  }

  async #checkAll(job: RunningJob): Promise<void> {
    const { reader } = this.#options;
    this.#forget();
    for (let pending = this.#pending(); pending.length > 0; pending = this.#pending()) {
      this.#schema = reader.schema();
      await this.#check(pending, this.#schema, job);
      if (this.#isClosed) return;
    }
    this.#tell(job);
  }

  /** Reports code that compiled when it was saved, and no longer does. */
  #tell(job: RunningJob): void {
    const { logger } = this.#options;
    const broken = this.#all().filter(
      (code) => code.diagnostics.length === 0 && !this.compiles(code),
    );
    for (const { kind, name } of broken) job.log(`The ${kind} ${name} does not compile any more`);
    const namesOf = (kind: CheckedCode['kind']): string[] =>
      broken.filter((code) => code.kind === kind).map(({ name }) => name);
    const [endpoints, migrations] = [namesOf('endpoint'), namesOf('migration')];
    const modules = namesOf('module');
    if (modules.length > 0) {
      logger.warn(
        { modules },
        'these modules do not compile any more; what imports them goes on serving',
      );
    }
    if (endpoints.length > 0) {
      logger.warn(
        { endpoints },
        'these endpoints do not compile any more; what they served they go on serving',
      );
    }
    if (migrations.length > 0) {
      logger.warn(
        { migrations },
        'these migrations do not compile any more; they are refused until they do',
      );
    }
  }

  #all(): CheckedCode[] {
    const { store, migrations, modules } = this.#options;
    const wanted = migrations.all().filter(({ status }) => status !== 'succeeded');
    return [
      ...modules.all().map(checkedModule),
      ...store.all().map(checkedEndpoint),
      ...wanted.map(checkedMigration),
    ];
  }

  #pending(): CheckedCode[] {
    const all = this.#all();
    const schema = this.#options.reader.schema();
    return all.filter((code) => {
      const verdict = this.#verdicts.get(code.identity);
      return verdict?.schema !== schema || verdict.versions !== this.#versions(code);
    });
  }

  /** Of what it runs: a verdict is one of their types, too. */
  #versions({ kind, name, code }: CheckedCode): string {
    const { callable, modules } = this.#options;
    const self = kind === 'endpoint' ? name : undefined;
    return versionsOf(code, self, { callable, modules });
  }

  /** The verdicts of what is there no longer. */
  #forget(): void {
    const there = new Set([
      ...this.#all().map(({ identity }) => identity),
      ...this.#options.migrations.all().map((migration) => checkedMigration(migration).identity),
    ]);
    for (const identity of this.#verdicts.keys()) {
      if (!there.has(identity)) this.#verdicts.delete(identity);
    }
  }

  /** Ends early when the schema has become another one. */
  async #check(
    pending: readonly CheckedCode[],
    schema: SchemaDocument,
    job: RunningJob,
  ): Promise<void> {
    const { compiler, reader, scheduleFault } = this.#options;
    for (const [done, one] of pending.entries()) {
      job.report({ progress: done / pending.length, step: `Checking ${one.name}` });
      const versions = this.#versions(one);
      const { code, isReadOnly } = one;
      const kind = one.kind === 'module' ? 'module' : 'endpoint';
      const name = one.kind === 'migration' ? undefined : one.name;
      const ofHead = one.kind === 'endpoint' ? headDiagnostics(code, schema, scheduleFault) : [];
      const ofCode = await compiler.check({ code, isReadOnly, name, kind }, schema);
      const diagnostics = [...ofHead, ...ofCode];
      this.#verdicts.set(one.identity, { schema, versions, diagnostics });
      // What has come in since goes first.
      await turn();
      reader.refresh();
      if (this.#isClosed || reader.schema() !== schema) return;
    }
  }
}

/** Of what code runs, and imports: it compiles as before as long as they are the same. */
export function versionsOf(
  code: string,
  self: string | undefined,
  { callable, modules }: Pick<CompileVerdictsOptions, 'callable' | 'modules'>,
): string {
  return `${callable.versionsFor(modules.textsOf(code), self)} ${modules.versionsFor(code)}`;
}

/** Code of the workspace that is checked against its schema, whatever it is the code of. */
export interface CheckedCode {
  readonly kind: CodeKind;
  readonly uid: string;
  readonly name: string;
  /** Another one for every version of it. */
  readonly identity: string;
  readonly code: string;
  readonly isReadOnly: boolean;
  /** What the compiler said when the code was saved. */
  readonly diagnostics: readonly Diagnostic[];
}

export function checkedEndpoint({ definition, identity }: StoredEndpoint): CheckedCode {
  const { UID: uid, name, code, isReadOnly, diagnostics } = definition;
  return { kind: 'endpoint', uid, name, identity, code, isReadOnly, diagnostics };
}

/** How it ran is stored with it: only its version says whether its code is another one. */
export function checkedMigration(migration: StoredMigration): CheckedCode {
  const { UID: uid, name, code, version, diagnostics } = migration;
  const identity = `${uid}.${version}`;
  return { kind: 'migration', uid, name, identity, code, isReadOnly: false, diagnostics };
}

export function checkedModule({ definition, identity }: StoredModule): CheckedCode {
  const { UID: uid, name, code, diagnostics } = definition;
  return { kind: 'module', uid, name, identity, code, isReadOnly: false, diagnostics };
}
