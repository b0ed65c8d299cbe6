import type { Diagnostic, EndpointDefinition } from '@trellis/contract/shapes/endpoint.ts';
import type { ModuleUser } from '@trellis/contract/shapes/module.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { setImmediate as turn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { WriterOperation } from '#graph/operations.ts';
import {
  checkedEndpoint,
  checkedMigration,
  checkedModule,
  type CheckedCode,
  type CompileVerdicts,
} from '../compile/compile-verdicts.ts';
import type { EndpointCompiler } from '../compile/endpoint-compiler.ts';
import { keptTypes } from '../compile/endpoint-types.ts';
import { circleOf, importedNames, specifierOf } from '../compile/imported-modules.ts';
import type { EndpointDefinitions } from '../endpoint-definitions.ts';
import {
  ENDPOINT_TYPE,
  type EndpointStore,
  type StoredEndpoint,
  verdictFields,
} from '../endpoint-store.ts';
import type { MigrationStore } from '../migrations/migration-store.ts';
import type { ModuleDraft } from './module-draft.ts';
import {
  MODULE_TYPE,
  moduleFields,
  type ModuleStore,
  pinsOf,
  type StoredModule,
} from './module-store.ts';

export interface ImportersParts {
  readonly modules: ModuleStore;
  readonly endpoints: EndpointStore;
  readonly migrations: MigrationStore;
  readonly definitions: Pick<EndpointDefinitions, 'inspect'>;
  readonly compiler: EndpointCompiler;
  readonly verdicts: Pick<CompileVerdicts, 'compiles' | 'note'>;
}

/** What a change of a module does to what imports it. */
export interface Recheck {
  /** To go into the commit of the change. */
  readonly operations: readonly WriterOperation[];
  /** To be called once that is done. */
  readonly note: () => void;
}

/** Those who import modules: endpoints, migrations that are to run, and other modules. */
export class Importers {
  readonly #parts: ImportersParts;
  /** Names of modules, by the identity of the code that imports them. */
  #imports: ReadonlyMap<string, readonly string[]> = new Map();

  constructor(parts: ImportersParts) {
    this.#parts = parts;
  }

  /** Those that import each module themselves, in the code of now. */
  byModule(): ReadonlyMap<string, readonly ModuleUser[]> {
    const { verdicts } = this.#parts;
    const users = new Map<string, ModuleUser[]>();
    const imports = new Map<string, readonly string[]>();
    for (const code of this.#all()) {
      const names = this.#imports.get(code.identity) ?? importedNames(code.code);
      imports.set(code.identity, names);
      for (const name of names) {
        const user = { kind: code.kind, name: code.name, compiles: verdicts.compiles(code) };
        users.set(name, [...(users.get(name) ?? []), user]);
      }
    }
    this.#imports = imports;
    return users;
  }

  /** Those that cannot be without a module, in what they serve as well. */
  needing(name: string): readonly string[] {
    const serving = this.#parts.endpoints
      .all()
      .filter(({ servingModules }) => Object.hasOwn(servingModules, name))
      .map(({ definition }) => `the endpoint "${definition.name}"`);
    const users = (this.byModule().get(name) ?? []).map(
      (user) => `the ${user.kind} "${user.name}"`,
    );
    return [...new Set([...users, ...serving])].toSorted();
  }

  /**
   * Checks again what imports changed modules, directly and by others. What compiles serves from
   * the same commit on with them, drafts included; what does not goes on with what it has.
   */
  async recheck(draft: ModuleDraft, schema: SchemaDocument): Promise<Recheck> {
    const operations: WriterOperation[] = [];
    const notes: (() => void)[] = [];
    for (const module of this.#modulesAround(draft)) {
      const { name, code } = module.definition;
      const diagnostics = await this.diagnose({ name, code }, draft, schema);
      if (diagnostics.length === 0) draft.serve(name, module.definition);
      operations.push(...moduleOperations(module, diagnostics));
      notes.push(() => this.#noteModule(name, schema, diagnostics));
      await turn();
    }
    for (const endpoint of this.#parts.endpoints.all()) {
      if (!draft.reaches(endpoint.definition.code)) continue;
      const { fields, diagnostics } = await this.#checkedAgain(endpoint, draft, schema);
      const { name } = endpoint.definition;
      const { nodeVersion: ifVersion } = endpoint;
      if (!isAsBroken(endpoint.definition, diagnostics)) {
        operations.push({ op: 'update', type: ENDPOINT_TYPE, key: name, fields, ifVersion });
      }
      notes.push(() => this.#noteEndpoint(name, schema, diagnostics));
      await turn();
    }
    return { operations, note: () => notes.forEach((note) => note()) };
  }

  /** What is wrong with the code of a module. */
  async diagnose(
    { name, code }: { readonly name: string; readonly code: string },
    draft: ModuleDraft,
    schema: SchemaDocument,
  ): Promise<readonly Diagnostic[]> {
    const circle = circleOf(name, code, draft.newest);
    if (circle !== undefined) return [inCircle(code, circle)];
    const asked = { code, name, isReadOnly: false, kind: 'module', modules: draft } as const;
    return this.#parts.compiler.check(asked, schema);
  }

  #all(): CheckedCode[] {
    const { endpoints, migrations, modules } = this.#parts;
    const waiting = migrations.all().filter(({ status }) => status !== 'succeeded');
    return [
      ...endpoints.all().map(checkedEndpoint),
      ...waiting.map(checkedMigration),
      ...modules.all().map(checkedModule),
    ];
  }

  /** Modules that import what changes, each after what it imports itself. */
  #modulesAround(draft: ModuleDraft): StoredModule[] {
    const { modules } = this.#parts;
    const ordered: StoredModule[] = [];
    const seen = new Set(draft.changed);
    const visit = (module: StoredModule): void => {
      if (seen.has(module.definition.name)) return;
      seen.add(module.definition.name);
      for (const name of module.imports) {
        const imported = modules.get(name);
        if (imported !== undefined) visit(imported);
      }
      if (draft.newestReaches(module.definition.code)) ordered.push(module);
    };
    for (const module of modules.all()) visit(module);
    return ordered;
  }

  async #checkedAgain(endpoint: StoredEndpoint, draft: ModuleDraft, schema: SchemaDocument) {
    const { name, code, isReadOnly, version } = endpoint.definition;
    const asked = { name, code, isReadOnly, modules: draft };
    const { diagnostics, types } = await this.#parts.definitions.inspect(asked, schema);
    const compiles = diagnostics.length === 0;
    const fields = verdictFields(
      compiles
        ? {
            compiles,
            diagnostics,
            servingCode: code,
            servingVersion: version,
            servingTypes: types && keptTypes(types),
            servingModules: pinsOf(code, draft),
          }
        : { ...endpoint, servingTypes: endpoint.servingTypes, compiles, diagnostics },
    );
    return { fields, diagnostics };
  }

  #noteModule(name: string, schema: SchemaDocument, diagnostics: readonly Diagnostic[]): void {
    const module = this.#parts.modules.get(name);
    if (module !== undefined) this.#parts.verdicts.note(checkedModule(module), schema, diagnostics);
  }

  #noteEndpoint(name: string, schema: SchemaDocument, diagnostics: readonly Diagnostic[]): void {
    const { endpoints, verdicts } = this.#parts;
    const endpoint = endpoints.find(name);
    if (endpoint !== undefined) verdicts.note(checkedEndpoint(endpoint), schema, diagnostics);
  }
}

/** Then nothing of it changes, and what it serves stays loaded. */
function isAsBroken(
  { compiles, diagnostics: before }: EndpointDefinition,
  diagnostics: readonly Diagnostic[],
): boolean {
  return !compiles && diagnostics.length > 0 && isDeepStrictEqual(before, diagnostics);
}

/** Another verdict on the code of a module; nothing where it is the one that it had. */
function moduleOperations(
  { definition, nodeVersion: ifVersion, serving, updatedBy }: StoredModule,
  diagnostics: readonly Diagnostic[],
): WriterOperation[] {
  const compiles = diagnostics.length === 0;
  if (compiles && definition.compiles) return [];
  const newest = { ...definition, compiles, diagnostics: [...diagnostics] };
  const fields = moduleFields(newest, compiles ? definition : serving, updatedBy);
  return [{ op: 'update', type: MODULE_TYPE, key: definition.name, fields, ifVersion }];
}

function inCircle(code: string, circle: readonly string[]): Diagnostic {
  const names = circle.map(specifierOf);
  const message = `The modules import each other in a circle: ${names.join(' -> ')}.`;
  const lines = code.slice(0, Math.max(0, code.indexOf(names[1] ?? ''))).split('\n');
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1, code: 0, message };
}
