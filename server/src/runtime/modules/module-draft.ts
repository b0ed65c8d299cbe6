import { type ModuleSources, reachedModules } from '../compile/imported-modules.ts';
import type { ModuleStore, ModuleVersion, ServingModules, StoredModule } from './module-store.ts';

/** The modules as they will be after a change. */
export class ModuleDraft implements ServingModules {
  readonly #store: ModuleStore;
  readonly #serving = new Map<string, ModuleVersion>();
  readonly #names: readonly string[];
  /** Names of those that are another after the change. */
  readonly changed: ReadonlySet<string>;
  /** With code that does not compile, and so does not serve. */
  readonly newest: ModuleSources;

  /** `others` are there as if they compiled. */
  constructor(
    store: ModuleStore,
    change: { readonly name: string; readonly code: string } | undefined,
    others: ReadonlyMap<string, string> = new Map(),
  ) {
    const codes = new Map(others);
    if (change !== undefined) codes.set(change.name, change.code);
    this.#store = store;
    this.#names = [...new Set([...store.names(), ...codes.keys()])].toSorted();
    this.changed = new Set(change === undefined ? [] : [change.name]);
    this.newest = {
      find: (one) => codes.get(one) ?? store.get(one)?.definition.code,
      names: () => this.#names,
    };
    for (const [name, code] of others) this.serve(name, { version: 0, code });
  }

  /** What is changed compiles, and is imported from now on. */
  serve(name: string, { version, code }: Pick<ModuleVersion, 'version' | 'code'>): void {
    this.#serving.set(name, { name, version, code });
  }

  get(name: string): Pick<StoredModule, 'serving'> | undefined {
    const serving = this.#serving.get(name);
    return serving === undefined ? this.#store.get(name) : { serving };
  }

  find(name: string): string | undefined {
    return this.get(name)?.serving?.code;
  }

  names(): readonly string[] {
    return this.#names;
  }

  /** Whether code imports what changes, directly or by what serves. */
  reaches(code: string): boolean {
    return [...reachedModules(code, this).keys()].some((name) => this.#isChanged(name));
  }

  /** The same by what does not compile, too. */
  newestReaches(code: string): boolean {
    return [...reachedModules(code, this.newest).keys()].some((name) => this.changed.has(name));
  }

  #isChanged(name: string): boolean {
    return this.changed.has(name) || this.#serving.has(name);
  }
}
