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

  constructor(store: ModuleStore, change: { readonly name: string; readonly code: string }) {
    const { name, code } = change;
    this.#store = store;
    this.#names = [...new Set([...store.names(), name])].toSorted();
    this.changed = new Set([name]);
    this.newest = {
      find: (one) => (one === name ? code : store.get(one)?.definition.code),
      names: () => this.#names,
    };
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
