import type { Diagnostic } from '@trellis/contract/shapes/endpoint.ts';
import type { Page } from '@trellis/contract/shapes/list.ts';
import type { ModuleChange, ModuleDefinition, NewModule } from '@trellis/contract/shapes/module.ts';
import type { PackageBundle, PackageSummary } from '@trellis/contract/shapes/package.ts';
import { typesBytesOf } from '@trellis/contract/shapes/package.ts';
import { MODULES_MAX, PACKAGES_MAX } from '@trellis/contract/limits.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { Caller } from '#access/caller.ts';
import { must } from '#base/assert.ts';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { commitAndRead } from '#graph/commit-and-read.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { CallableEndpoints } from '../callable-endpoints.ts';
import { checkedModule, type CompileVerdicts } from '../compile/compile-verdicts.ts';
import {
  isPackage,
  moduleNameOf,
  type ModuleSources,
  specifierOf,
} from '../compile/imported-modules.ts';
import { checkPackage } from '../compile/package-script.ts';
import { packageOf, packageText } from '../compile/package-text.ts';
import { checkCode } from '../endpoint-definition.ts';
import { checkSeen, type CodeAction, type CodeHistory } from '../history/code-history.ts';
import type { CodeContent } from '../history/unified-diff.ts';
import type { OneAtATime } from '#base/one-at-a-time.ts';
import type { Importers } from './importers.ts';
import { ModuleDraft } from './module-draft.ts';
import type { ModuleScripts } from './module-scripts.ts';
import { MODULE_TYPE, moduleFields, type ModuleStore, type StoredModule } from './module-store.ts';

export interface ModuleDefinitionsParts {
  readonly store: ModuleStore;
  readonly importers: Importers;
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly verdicts: Pick<CompileVerdicts, 'note' | 'warm'>;
  /** Asked what those take that import what has changed. */
  readonly callable: Pick<CallableEndpoints, 'askAhead'>;
  readonly scripts: ModuleScripts;
  readonly history: CodeHistory;
  readonly clock: Clock;
  /** Of changes of code that others import or call: each is laid over what the last has left. */
  readonly turns: OneAtATime;
}

/**
 * Creates and changes modules: code that endpoints, migrations and other modules import
 * (open-shapes, section 15). As with endpoints, code that does not compile is a draft, while the
 * newest version that did goes on serving, and every version goes into the history.
 *
 * What imports a module is checked again before a change is made, and changes with it in one
 * commit: nobody sees a half of it.
 */
export class ModuleDefinitions {
  readonly #parts: ModuleDefinitionsParts;
  readonly #summaries = new WeakMap<StoredModule, Omit<PackageSummary, 'usedBy'>>();

  constructor(parts: ModuleDefinitionsParts) {
    this.#parts = parts;
  }

  /** Rejects with `module_exists`, `too_many_modules`, `invalid_request`. */
  create(caller: Caller, { name, code }: NewModule): Promise<ModuleDefinition> {
    return this.#parts.turns.run(() => {
      const { store } = this.#parts;
      if (store.get(name) !== undefined) {
        throw new Problem('module_exists', `There is a module "${name}" already`);
      }
      return this.#write(caller, { name, code, action: 'created', before: undefined });
    });
  }

  /** Rejects with `module_not_found`, `version_conflict`, `invalid_request`. */
  change(caller: Caller, name: string, change: ModuleChange): Promise<ModuleDefinition> {
    return this.#parts.turns.run(() => {
      const before = this.#require(name);
      const { version: current } = before.definition;
      checkSeen(this.#parts.history, moduleItem(name), { seen: change.version, current });
      return this.#write(caller, { name, code: change.code, action: 'changed', before });
    });
  }

  /** Rejects with `code_version_not_found`, `version_conflict`, `too_many_modules`. */
  restore(
    caller: Caller,
    name: string,
    wanted: { readonly version: number; readonly seen?: number | undefined },
  ): Promise<ModuleDefinition> {
    return this.#parts.turns.run(() => {
      const { history, store } = this.#parts;
      const item = moduleItem(name);
      const { code } = history.get(item, wanted.version);
      checkSeen(history, item, { seen: wanted.seen, current: history.lastVersion(item) });
      return this.#write(caller, { name, code, action: 'restored', before: store.get(name) });
    });
  }

  /** Rejects with `module_not_found`, `module_in_use`. */
  delete(caller: Caller, name: string): Promise<void> {
    return this.#parts.turns.run(() => this.#delete(caller, this.#require(name)));
  }

  /** Throws `module_not_found`. */
  get(_caller: Caller, name: string): ModuleDefinition {
    return this.#shown(this.#require(name));
  }

  /**
   * Creates or changes the package of npm that code imports by this text. Rejects with
   * `invalid_request`, `too_many_modules`.
   */
  putPackage(caller: Caller, specifier: string, bundle: PackageBundle): Promise<void> {
    return this.#parts.turns.run(async () => {
      const name = packageName(specifier);
      const before = this.#parts.store.get(name);
      const action = before === undefined ? 'created' : 'changed';
      await this.#write(caller, { name, code: packageText(bundle), action, before });
    });
  }

  /** Rejects with `module_in_use`. */
  deletePackage(caller: Caller, specifier: string): Promise<void> {
    return this.#parts.turns.run(async () => {
      const stored = this.#parts.store.get(packageName(specifier));
      if (stored !== undefined) await this.#delete(caller, stored);
    });
  }

  /** Undefined when there is none. */
  package(_caller: Caller, specifier: string): PackageBundle | undefined {
    const stored = this.#parts.store.get(packageName(specifier));
    return stored && packageOf(stored.definition.code);
  }

  packageSpecifiers(_caller: Caller): string[] {
    return this.#parts.store.packageNames().map(specifierOf);
  }

  packages(_caller: Caller, page: Page) {
    const { store, importers } = this.#parts;
    const names = store.packageNames();
    const users = importers.byModule();
    const items = names.slice(page.skip, page.skip + page.take).flatMap((name) => {
      const stored = store.get(name);
      if (stored === undefined) return [];
      const summary = this.#summaries.get(stored) ?? summaryOf(stored);
      this.#summaries.set(stored, summary);
      return [{ ...summary, usedBy: [...(users.get(name) ?? [])] }];
    });
    return { items, total: names.length, ...page };
  }

  list(_caller: Caller, page: Page) {
    const all = this.#parts.store.all();
    const users = this.#parts.importers.byModule();
    const shown = all.slice(page.skip, page.skip + page.take);
    const items = shown.map((one) => this.#shown(one, users));
    return { items, total: all.length, ...page };
  }

  /**
   * What the compiler says of code that is not saved, against the schema of now or another one;
   * modules that are given are there, too: code by name.
   */
  check(
    _caller: Caller,
    { name = '', code }: { readonly name?: string | undefined; readonly code: string },
    schema = this.#schema(),
    given?: ReadonlyMap<string, string>,
  ): Promise<readonly Diagnostic[]> {
    checkCode(code);
    const { importers, store } = this.#parts;
    const draft = new ModuleDraft(store, { name, code }, given);
    return importers.diagnose({ name, code }, draft, schema);
  }

  /** Where code is imported from when these are there, too. */
  sourcesWith(modules: ReadonlyMap<string, string>): ModuleSources {
    return new ModuleDraft(this.#parts.store, undefined, modules);
  }

  #shown({ definition }: StoredModule, users = this.#parts.importers.byModule()): ModuleDefinition {
    return { ...definition, usedBy: [...(users.get(definition.name) ?? [])] };
  }

  #schema(): SchemaDocument {
    const { reader } = this.#parts;
    reader.refresh();
    return reader.schema();
  }

  #require(name: string): StoredModule {
    const module = isPackage(name) ? undefined : this.#parts.store.get(name);
    if (module !== undefined) return module;
    throw new Problem('module_not_found', `There is no module "${name}"`);
  }

  async #delete(caller: Caller, { definition, nodeVersion }: StoredModule): Promise<void> {
    const { history, clock, importers } = this.#parts;
    const { name } = definition;
    const users = importers.needing(name);
    if (users.length > 0) throw inUse(name, users);
    await commitAndRead(
      [
        { op: 'delete', type: MODULE_TYPE, key: name, ifVersion: nodeVersion },
        ...history.operations({
          ...moduleItem(name),
          version: definition.version + 1,
          action: 'deleted',
          caller,
          nowMs: clock.now(),
          before: contentOf(definition),
          after: undefined,
        }),
      ],
      this.#parts,
    );
  }

  async #check(name: string, code: string, isNew: boolean): Promise<void> {
    const { store, scripts } = this.#parts;
    if (isPackage(name)) {
      const checked = await checkPackage(specifierOf(name), packageOf(code));
      scripts.put({ name, code }, checked);
      if (isNew && store.packageNames().length >= PACKAGES_MAX) {
        throw new Problem('too_many_modules', `There are ${PACKAGES_MAX} packages already`);
      }
      return;
    }
    checkCode(code);
    if (isNew && store.names().length >= MODULES_MAX) {
      throw new Problem('too_many_modules', `There are ${MODULES_MAX} modules already`);
    }
  }

  async #write(
    caller: Caller,
    change: {
      readonly name: string;
      readonly code: string;
      readonly action: CodeAction;
      readonly before: StoredModule | undefined;
    },
  ): Promise<ModuleDefinition> {
    const { name, code, action, before } = change;
    const { store, scripts, importers, history, clock, verdicts } = this.#parts;
    await this.#check(name, code, before === undefined);
    const schema = this.#schema();
    const draft = new ModuleDraft(store, change);
    const diagnostics = isPackage(name) ? [] : await importers.diagnose(change, draft, schema);
    const version = (before?.definition.version ?? history.lastVersion(moduleItem(name))) + 1;
    const compiles = diagnostics.length === 0;
    if (compiles) {
      draft.serve(name, { version, code });
      // Workers are at it while what imports it is checked.
      await scripts.prepare({ name, code });
    }
    const recheck = compiles ? await importers.recheck(draft, schema) : undefined;
    const serving = compiles ? { version, code } : before?.serving;
    const nowMs = clock.now();
    await commitAndRead(
      [
        {
          op: 'addOrUpdate',
          type: MODULE_TYPE,
          key: name,
          fields: moduleFields({ code, version, compiles, diagnostics }, serving, caller.userUid),
          timestamp: nowMs,
          ifVersion: before?.nodeVersion ?? 0,
        },
        ...history.operations({
          ...moduleItem(name),
          version,
          action,
          caller,
          nowMs,
          before: before && contentOf(before.definition),
          after: contentOf({ code }),
        }),
        ...(recheck?.operations ?? []),
      ],
      this.#parts,
    );
    const written = must(store.get(name), 'the module that was written');
    verdicts.note(checkedModule(written), schema, diagnostics);
    recheck?.note();
    // Migrations are checked where nobody waits for it.
    verdicts.warm();
    this.#parts.callable.askAhead();
    return this.#shown(written);
  }
}

/** Throws `invalid_request`. */
function packageName(specifier: string): string {
  const name = moduleNameOf(specifier);
  if (name !== undefined && isPackage(name)) return name;
  throw new Problem('invalid_request', `"${specifier}" is not the name of a package of npm`);
}

function summaryOf({ definition }: StoredModule): Omit<PackageSummary, 'usedBy'> {
  const { package: name, version, license, code, types } = packageOf(definition.code);
  return {
    specifier: specifierOf(definition.name),
    package: name,
    version,
    license,
    codeBytes: Buffer.byteLength(code),
    typesBytes: typesBytesOf(types),
    revision: definition.version,
  };
}

function moduleItem(name: string) {
  return { kind: 'module', name } as const;
}

function contentOf({ code }: { readonly code: string }): CodeContent {
  return { code, settings: {} };
}

function inUse(name: string, users: readonly string[]): Problem {
  const shown = users.slice(0, USERS_SHOWN_MAX).join(', ');
  const others =
    users.length > USERS_SHOWN_MAX ? `, and ${users.length - USERS_SHOWN_MAX} more` : '';
  const what = isPackage(name) ? `package "${specifierOf(name)}"` : `module "${name}"`;
  return new Problem('module_in_use', `The ${what} is imported by ${shown}${others}`, {
    details: { usedBy: users.slice(0, USERS_SHOWN_MAX) },
  });
}

const USERS_SHOWN_MAX = 20;
