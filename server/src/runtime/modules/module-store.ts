import type { Diagnostic } from '@trellis/contract/shapes/endpoint.ts';
import type { ModuleDefinition } from '@trellis/contract/shapes/module.ts';
import { must } from '#base/assert.ts';
import type { NodeWrite } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import {
  importedNames,
  isPackage,
  type ModuleSources,
  reachedModules,
  reachedSources,
} from '../compile/imported-modules.ts';

/** The node type in which modules are stored: see `#graph/system-schema.ts`. */
export const MODULE_TYPE = '_Module';

/** Code that can be imported. */
export interface ModuleVersion {
  readonly name: string;
  readonly version: number;
  readonly code: string;
}

/** A module as it is stored. */
export interface StoredModule {
  readonly definition: Omit<ModuleDefinition, 'usedBy'>;
  /** Another one for every version, also when a module is deleted and made anew. */
  readonly identity: string;
  /** Version of the node, for optimistic changes. */
  readonly nodeVersion: number;
  /** The newest code that compiled; undefined when none ever did. */
  readonly serving: ModuleVersion | undefined;
  /** Names of what its code imports. */
  readonly imports: readonly string[];
  /** ISO 8601 UTC. */
  readonly updatedAt: string;
  /** UID of a user; null when the server itself did it. */
  readonly updatedBy: string | null;
}

/**
 * Reads the modules that there are. As with endpoints, what was read is read again only when its
 * node has changed.
 */
export class ModuleStore implements ServingModules {
  readonly #reader: GraphReader;
  readonly #known = new Map<string, StoredModule>();
  #names: NamesAtSequence | undefined;

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  get(name: string): StoredModule | undefined {
    this.#reader.refresh();
    const id = this.#reader.id({ type: MODULE_TYPE, key: name });
    const nodeVersion = id === undefined ? undefined : this.#reader.version(id);
    if (id === undefined || nodeVersion === undefined) {
      this.#known.delete(name);
      return undefined;
    }
    const identity = `${id}.${nodeVersion}`;
    const known = this.#known.get(name);
    if (known?.identity === identity) return known;
    const module = storedModule(this.#reader, id, nodeVersion, identity);
    this.#known.set(name, module);
    return module;
  }

  /** The code that serves. */
  find(name: string): string | undefined {
    return this.get(name)?.serving?.code;
  }

  names(): readonly string[] {
    return this.#read().names;
  }

  /** Names of packages: see `imported-modules.ts`. */
  packageNames(): readonly string[] {
    return this.#read().packages;
  }

  /** All modules, by name; without packages. */
  all(): StoredModule[] {
    return this.names().flatMap((name) => this.get(name) ?? []);
  }

  /** Code with that of everything that it imports. */
  textsOf(code: string): string {
    return [code, ...reachedSources(code, this)].join('\n');
  }

  /** Changes when code may import something else than before. */
  versionsFor(code: string): string {
    if (importedNames(code).length === 0) return '';
    return Object.entries(pinsOf(code, this)).join();
  }

  #read(): NamesAtSequence {
    const sequence = this.#reader.refresh();
    if (this.#names?.sequence === sequence) return this.#names;
    const ids = [...this.#reader.idsOfType(MODULE_TYPE)];
    const all = ids.map((id) => String(this.#reader.field(id, 'Id'))).toSorted();
    const names = all.filter((name) => !isPackage(name));
    this.#names = { sequence, names, packages: all.filter(isPackage) };
    return this.#names;
  }
}

interface NamesAtSequence {
  readonly sequence: number;
  readonly names: readonly string[];
  readonly packages: readonly string[];
}

/** Modules of now, or as they will be. */
export interface ServingModules extends ModuleSources {
  get(name: string): Pick<StoredModule, 'serving'> | undefined;
}

/** Versions by the names of modules. */
export type ModulePins = Readonly<Record<string, number>>;

/** The versions that code imports now, directly and by others. */
export function pinsOf(code: string, store: ServingModules): ModulePins {
  const names = [...reachedModules(code, store).keys()].toSorted();
  return Object.fromEntries(names.map((name) => [name, store.get(name)?.serving?.version ?? 0]));
}

/** The fields of a module's node, but for its key, which is the name. */
export function moduleFields(
  { code, version, compiles, diagnostics }: Omit<ModuleDefinition, 'UID' | 'name' | 'usedBy'>,
  serving: Omit<ModuleVersion, 'name'> | undefined,
  updatedBy: string | null,
): NonNullable<NodeWrite['fields']> {
  return {
    Code: code,
    Version: version,
    Compiles: compiles,
    Diagnostics: diagnostics,
    ServingCode: serving?.code ?? null,
    ServingVersion: serving?.version ?? 0,
    UpdatedBy: updatedBy,
  };
}

/** The way back: nothing else writes these nodes. */
function storedModule(
  reader: GraphReader,
  id: number,
  nodeVersion: number,
  identity: string,
): StoredModule {
  const node = must(reader.node(id), 'the node of a module');
  const name = String(node.Id);
  const code = String(node['Code'] ?? '');
  const serving = node['ServingCode'];
  // Mostly the same text, which is long: one of them is kept.
  const servingCode = serving === code ? code : serving;
  return {
    definition: {
      UID: node.UID,
      name,
      code,
      version: Number(node['Version']),
      compiles: node['Compiles'] === true,
      diagnostics: (node['Diagnostics'] ?? []) as Diagnostic[],
    },
    identity,
    nodeVersion,
    serving:
      typeof servingCode === 'string'
        ? { name, version: Number(node['ServingVersion']), code: servingCode }
        : undefined,
    imports: importedNames(code),
    updatedAt: node.Timestamp,
    updatedBy: typeof node['UpdatedBy'] === 'string' ? node['UpdatedBy'] : null,
  };
}
