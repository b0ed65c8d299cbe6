import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import {
  isPackage,
  moduleNameOf,
  reachedModules,
  specifierOf,
} from '../compile/imported-modules.ts';
import { PackagePlaces } from '../compile/package-script.ts';
import type { Linkable } from '../compile/script.ts';
import type { LinkedScript, LoadableScript } from '../sandbox/endpoint-call.ts';
import type { ModuleScript, ModuleScripts } from './module-scripts.ts';
import type { ModulePins, ModuleStore, ModuleVersion } from './module-store.ts';

export interface ModuleLinkerParts {
  readonly store: Pick<ModuleStore, 'get' | 'find' | 'names'>;
  readonly scripts: ModuleScripts;
  /** Has the code of versions that serve no more. */
  readonly history: {
    get(item: { kind: 'module'; name: string }, version: number): { readonly code: string };
  };
}

/** Puts scripts together with the modules that they import. */
export class ModuleLinker {
  readonly #parts: ModuleLinkerParts;
  readonly #made = new WeakMap<ModuleVersion, Promise<ModuleScript>>();

  constructor(parts: ModuleLinkerParts) {
    this.#parts = parts;
  }

  /** With the versions that serve, or those that are pinned. */
  async link(script: Linkable, fileName: string, pins?: ModulePins): Promise<LinkedScript> {
    const modules: LoadableScript[] = [];
    const places = new Map<string, number>();
    const packages = new Map<string, string>();
    const linked = async (one: ModuleScript): Promise<LoadableScript> => {
      const { specifiers, ...made } = one;
      const imports: number[] = [];
      // One after the other: each may need what the one before has brought.
      for (const specifier of specifiers) imports.push(await placeOf(specifier));
      return { ...made, imports };
    };
    const placeOf = async (specifier: string): Promise<number> => {
      const known = places.get(specifier);
      if (known !== undefined) return known;
      const module = this.#versionOf(specifier, pins);
      if (isPackage(module.name)) packages.set(specifier, module.code);
      modules.push(await linked(await this.#scriptOf(module)));
      places.set(specifier, modules.length - 1);
      return modules.length - 1;
    };
    const main = await linked({ ...script, fileName });
    const origins = packages.size === 0 ? undefined : new PackagePlaces(packages);
    return { script: main, modules, ...(origins && { origins }) };
  }

  /** Lets workers compile what code imports before anybody calls it. */
  async prepareFor(code: string): Promise<void> {
    for (const name of reachedModules(code, this.#parts.store).keys()) {
      const serving = this.#parts.store.get(name)?.serving;
      if (serving !== undefined) await this.#parts.scripts.prepare(serving);
    }
  }

  /** The code of the versions that are pinned, without packages, which are given no scope. */
  codes(pins: ModulePins): string[] {
    const names = Object.keys(pins).filter((name) => !isPackage(name));
    return names.map((name) => this.#versionOf(specifierOf(name), pins).code);
  }

  #versionOf(specifier: string, pins: ModulePins | undefined): ModuleVersion {
    const name = must(moduleNameOf(specifier), 'the name of a module in code that was checked');
    const { store, history } = this.#parts;
    const serving = store.get(name)?.serving;
    const isPinned = pins !== undefined && Object.hasOwn(pins, name);
    const version = isPinned ? pins[name] : serving?.version;
    if (version === undefined) {
      throw new Problem('endpoint_not_compiled', `There is no module "${specifier}" that compiles`);
    }
    if (serving?.version === version) return serving;
    return { name, version, code: history.get({ kind: 'module', name }, version).code };
  }

  #scriptOf(module: ModuleVersion): Promise<ModuleScript> {
    const made = this.#made.get(module) ?? this.#parts.scripts.of(module);
    this.#made.set(module, made);
    return made;
  }
}
