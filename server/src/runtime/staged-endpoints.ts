import { isDeepStrictEqual } from 'node:util';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type {
  Diagnostic,
  EndpointChange,
  EndpointDefinition,
  NewEndpoint,
} from '@trellis/contract/shapes/endpoint.ts';
import type { Caller } from '#access/caller.ts';
import type { Clock } from '#base/clock.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import type { Staging } from '#graph/staged-commits.ts';
import { CallableEndpoints } from './callable-endpoints.ts';
import { versionsOf } from './compile/compile-verdicts.ts';
import type { EndpointCompiler } from './compile/endpoint-compiler.ts';
import { headDiagnostics, type ScheduleFault } from './compile/head-diagnostics.ts';
import { isBuiltIn } from './endpoint-definition.ts';
import { EndpointDefinitions } from './endpoint-definitions.ts';
import { EndpointInputs, type InputSchema } from './endpoint-inputs.ts';
import type { KeptInputs } from './kept-inputs.ts';
import type { EndpointRuntime } from './endpoint-runtime.ts';
import { type EndpointStanding, EndpointStore, standingOf } from './endpoint-store.ts';
import { CodeHistory } from './history/code-history.ts';
import type { MigrationService } from './migrations/migration-service.ts';
import { MigrationStore } from './migrations/migration-store.ts';
import { OneAtATime } from '#base/one-at-a-time.ts';
import { Importers } from './modules/importers.ts';
import { ModuleDefinitions } from './modules/module-definitions.ts';
import { ModuleLinker } from './modules/module-linker.ts';
import type { ModuleScripts } from './modules/module-scripts.ts';
import { ModuleStore } from './modules/module-store.ts';

export interface StagedEndpointsParts {
  readonly staging: Staging;
  readonly present: PresentCode;
  readonly compiler: EndpointCompiler;
  readonly scripts: ModuleScripts;
  /** Where endpoints say what they take. */
  readonly runtime: Pick<EndpointRuntime, 'runTrial'>;
  readonly keptInputs: KeptInputs;
  readonly migrations: MigrationService;
  readonly clock: Clock;
  readonly scheduleFault: ScheduleFault;
}

/** The code of the workspace as it is. */
interface PresentCode {
  readonly schema: SchemaDocument;
  /** Whether an endpoint compiles, as far as that is known. */
  compiles(name: string): boolean;
  module(name: string): { readonly code: string; readonly compiles: boolean } | undefined;
  migrationCompiles(name: string): boolean;
  /** Of what code runs and imports; `name` is the endpoint whose code it is. */
  versionsFor(code: string, name: string): string;
}

/** Code that compiles now, and would not any more. */
export interface BrokenCode {
  readonly kind: 'endpoint' | 'module';
  readonly name: string;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Endpoints and migrations as a part of a larger commit: their code is checked against the schema,
 * and the endpoints, that there will be.
 */
export class StagedEndpoints {
  readonly migrations: MigrationService;
  readonly modules: ModuleDefinitions;
  readonly #parts: StagedEndpointsParts;
  readonly #store: EndpointStore;
  readonly #callable: CallableEndpoints;
  readonly #compiler: EndpointCompiler;
  readonly #modules: ModuleStore;
  readonly #migrations: MigrationStore;
  readonly #inputs: EndpointInputs;
  readonly #definitions: EndpointDefinitions;
  /** Of what code runs, when that code was checked here. */
  readonly #checked = new Map<string, string>();

  constructor(parts: StagedEndpointsParts) {
    const { staging, runtime, keptInputs, compiler, clock, scheduleFault } = parts;
    const { reader, commits } = staging;
    this.#parts = parts;
    const history = new CodeHistory(reader);
    const modules = new ModuleStore(reader);
    this.#modules = modules;
    const { scripts } = parts;
    const linker = new ModuleLinker({ store: modules, scripts, history });
    this.#store = new EndpointStore(reader, linker, `${formatUid(randomUid())}.`);
    this.#inputs = new EndpointInputs(runtime, linker, keptInputs);
    this.#callable = new CallableEndpoints({ store: this.#store, inputs: this.#inputs });
    this.#compiler = compiler.over(this.#callable, modules);
    const verdicts = NO_VERDICTS;
    const shared = { reader, commits, clock, history, verdicts, compiler: this.#compiler };
    const onChange = async (): Promise<void> => {};
    const turns = new OneAtATime();
    const own = { store: this.#store, modules, linker, turns, scheduleFault, onChange };
    this.#definitions = new EndpointDefinitions({ ...shared, ...own });
    const migrations = (this.#migrations = new MigrationStore(reader));
    this.migrations = parts.migrations.over({ ...shared, store: migrations });
    const definitions = this.#definitions;
    const endpoints = this.#store;
    const importers = new Importers({ ...shared, modules, endpoints, migrations, definitions });
    const callable = NOT_ASKED_AHEAD;
    const linked = { importers, scripts, callable };
    this.modules = new ModuleDefinitions({ ...shared, ...linked, store: modules, turns });
  }

  standing(name: string): EndpointStanding | undefined {
    const endpoint = this.#store.find(name);
    return endpoint && standingOf(endpoint);
  }

  list(_caller: Caller, page: { readonly skip: number; readonly take: number }) {
    return this.#definitions.list(page);
  }

  get(_caller: Caller, name: string): EndpointDefinition {
    return this.#definitions.get(name);
  }

  create(caller: Caller, endpoint: NewEndpoint): Promise<EndpointDefinition> {
    return this.#noted(this.#definitions.create(caller, endpoint));
  }

  put(caller: Caller, name: string, change: EndpointChange): Promise<EndpointDefinition> {
    return this.#noted(this.#definitions.change(caller, name, change));
  }

  delete(caller: Caller, name: string): Promise<void> {
    return this.#definitions.delete(caller, name);
  }

  /** Null for one that does not take an object, or that there is not. */
  async inputSchema(name: string): Promise<InputSchema | null> {
    const endpoint = this.#store.find(name);
    return endpoint?.servingCode === undefined ? null : this.#inputs.schemaOf(endpoint);
  }

  /**
   * Endpoints that compile now and would not any more: those that were left alone, and those that
   * were checked before what they run was changed.
   */
  async broken(signal: AbortSignal): Promise<readonly BrokenCode[]> {
    const { staging, present } = this.#parts;
    const schema = staging.reader.schema();
    const isSameSchema = isDeepStrictEqual(schema, present.schema);
    const broken: BrokenCode[] = [];
    for (const { definition } of this.#store.all()) {
      signal.throwIfAborted();
      const { name, code, isReadOnly, compiles, diagnostics: found } = definition;
      // They name nothing of the workspace's schema.
      if (isBuiltIn(name)) continue;
      const checkedWith = this.#checked.get(name);
      const isWritten = checkedWith !== undefined;
      // What was no good before is nobody's fault here, and drafts were asked for.
      if (isWritten ? !compiles : !present.compiles(name)) continue;
      const versions = this.#versionsFor(code, name);
      const isAsChecked = isWritten
        ? checkedWith === versions
        : isSameSchema && present.versionsFor(code, name) === versions;
      if (isAsChecked && compiles) continue;
      const diagnostics = compiles
        ? [
            ...headDiagnostics(code, schema, this.#parts.scheduleFault),
            ...(await this.#compiler.check({ name, code, isReadOnly }, schema)),
          ]
        : found;
      if (diagnostics.length > 0) broken.push({ kind: 'endpoint', name, diagnostics });
    }
    const modules = isSameSchema ? [] : await this.#modulesAgainst(schema, signal);
    return [...broken, ...this.#brokenModules(), ...modules];
  }

  /** Migrations that are still to be run, compile now, and would not any more. */
  async brokenMigrations(signal: AbortSignal): Promise<readonly Omit<BrokenCode, 'kind'>[]> {
    const schema = this.#parts.staging.reader.schema();
    const broken: Omit<BrokenCode, 'kind'>[] = [];
    for (const { name, code, status } of this.#migrations.all()) {
      signal.throwIfAborted();
      if (status === 'succeeded' || !this.#parts.present.migrationCompiles(name)) continue;
      const diagnostics = await this.#compiler.check({ code, isReadOnly: false }, schema);
      if (diagnostics.length > 0) broken.push({ name, diagnostics });
    }
    return broken;
  }

  /** Those that were left alone, and do not compile against another schema. */
  async #modulesAgainst(schema: SchemaDocument, signal: AbortSignal): Promise<BrokenCode[]> {
    const broken: BrokenCode[] = [];
    for (const { definition } of this.#modules.all()) {
      signal.throwIfAborted();
      const { name, code, compiles } = definition;
      if (!compiles || this.#parts.present.module(name)?.code !== code) continue;
      const asked = { name, code, isReadOnly: false, kind: 'module' } as const;
      const diagnostics = await this.#compiler.check(asked, schema);
      if (diagnostics.length > 0) broken.push({ kind: 'module', name, diagnostics });
    }
    return broken;
  }

  /** Those that were left alone. They were checked with each module that they import. */
  #brokenModules(): BrokenCode[] {
    return this.#modules.all().flatMap(({ definition }): BrokenCode[] => {
      const { name, code, compiles, diagnostics } = definition;
      const before = this.#parts.present.module(name);
      const isBroken = !compiles && before?.compiles === true && before.code === code;
      return isBroken ? [{ kind: 'module', name, diagnostics }] : [];
    });
  }

  async #noted(writing: Promise<EndpointDefinition>): Promise<EndpointDefinition> {
    const written = await writing;
    const { name, code } = written;
    this.#checked.set(name, this.#versionsFor(code, name));
    return written;
  }

  #versionsFor(code: string, name: string): string {
    return versionsOf(code, name, { callable: this.#callable, modules: this.#modules });
  }
}

/** What comes of it may never serve. */
const NOT_ASKED_AHEAD = { askAhead: () => {} };

/** What is found out about code here says nothing of the workspace as it is. */
const NO_VERDICTS = {
  compiles: ({ diagnostics }: { readonly diagnostics: readonly Diagnostic[] }) =>
    diagnostics.length === 0,
  diagnostics: ({ diagnostics }: { readonly diagnostics: readonly Diagnostic[] }) => diagnostics,
  note: () => {},
  warm: () => false,
};
