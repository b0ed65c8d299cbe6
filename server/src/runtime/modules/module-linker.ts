import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { isPackage, moduleNameOf, specifierOf } from '../compile/imported-modules.ts';
import { fileNameOfPackage, PackagePlaces, toPackageScript } from '../compile/package-script.ts';
import { type Linkable, toModuleScript } from '../compile/script.ts';
import type { LinkedScript, LoadableScript } from '../sandbox/endpoint-call.ts';
import type { ModulePins, ModuleStore, ModuleVersion } from './module-store.ts';

export interface ModuleLinkerParts {
  readonly store: Pick<ModuleStore, 'get'>;
  /** The code of a version that may not serve any more. */
  readonly codeOf: (name: string, version: number) => string;
}

/** Puts scripts together with the modules that they import. */
export class ModuleLinker {
  readonly #parts: ModuleLinkerParts;
  readonly #linkables = new WeakMap<ModuleVersion, Promise<Linkable>>();

  constructor(parts: ModuleLinkerParts) {
    this.#parts = parts;
  }

  /** With the versions that serve, or those that are pinned. */
  async link(script: Linkable, fileName: string, pins?: ModulePins): Promise<LinkedScript> {
    const modules: LoadableScript[] = [];
    const places = new Map<string, number>();
    const packages = new Map<string, string>();
    const linked = async (one: Linkable, file: string): Promise<LoadableScript> => {
      const { script: text, parameters, specifiers } = one;
      const imports: number[] = [];
      // One after the other: each may need what the one before has brought.
      for (const specifier of specifiers) imports.push(await placeOf(specifier));
      return { fileName: file, script: text, parameters, imports };
    };
    const placeOf = async (specifier: string): Promise<number> => {
      const known = places.get(specifier);
      if (known !== undefined) return known;
      const module = this.#versionOf(specifier, pins);
      const isOfNpm = isPackage(module.name);
      if (isOfNpm) packages.set(specifier, module.code);
      const file = isOfNpm ? fileNameOfPackage(specifier) : specifier;
      modules.push(await linked(await this.#linkableOf(module), file));
      places.set(specifier, modules.length - 1);
      return modules.length - 1;
    };
    const main = await linked(script, fileName);
    const origins = packages.size === 0 ? undefined : new PackagePlaces(packages);
    return { script: main, modules, ...(origins && { origins }) };
  }

  /** Makes the script of a version before anybody calls what imports it. */
  async prepare(module: ModuleVersion): Promise<void> {
    await this.#linkableOf(module);
  }

  /** The code of the versions that are pinned, without packages, which are given no scope. */
  codes(pins: ModulePins): string[] {
    const names = Object.keys(pins).filter((name) => !isPackage(name));
    return names.map((name) => this.#versionOf(specifierOf(name), pins).code);
  }

  #versionOf(specifier: string, pins: ModulePins | undefined): ModuleVersion {
    const name = must(moduleNameOf(specifier), 'the name of a module in code that was checked');
    const { store, codeOf } = this.#parts;
    const serving = store.get(name)?.serving;
    const isPinned = pins !== undefined && Object.hasOwn(pins, name);
    const version = isPinned ? pins[name] : serving?.version;
    if (version === undefined) {
      throw new Problem('endpoint_not_compiled', `There is no module "${specifier}" that compiles`);
    }
    if (serving?.version === version) return serving;
    return { name, version, code: codeOf(name, version) };
  }

  #linkableOf(module: ModuleVersion): Promise<Linkable> {
    const known = this.#linkables.get(module) ?? this.#made(module);
    this.#linkables.set(module, known);
    return known;
  }

  #made({ name, code }: ModuleVersion): Promise<Linkable> {
    return isPackage(name) ? toPackageScript(code) : toModuleScript(code);
  }
}
