import type { Caller } from '#access/caller.ts';
import type { ModuleDefinitions } from '#runtime/modules/module-definitions.ts';
import type { PackageBundle } from '@trellis/contract/shapes/package.ts';
import type {
  Definition,
  DefinitionDiagnostic,
  DefinitionKind,
  Importer,
} from '../definition-kind.ts';

/** Throw `invalid_request` for what cannot be. */
export interface PackageParsers {
  name(name: string): string;
  definition(definition: Definition): PackageBundle;
}

/** Packages of npm, as `trellis push` bundles them. */
export class PackageKind implements DefinitionKind {
  readonly kind = 'package';
  readonly layout = { folder: 'npm' };
  readonly #modules: ModuleDefinitions;
  readonly #parsers: PackageParsers;

  constructor(modules: ModuleDefinitions, parsers: PackageParsers) {
    this.#modules = modules;
    this.#parsers = parsers;
  }

  names(caller: Caller): string[] {
    return this.#modules.packageSpecifiers(caller);
  }

  read(caller: Caller, name: string): Definition | undefined {
    const bundle = this.#modules.package(caller, name);
    return bundle && inOrder(bundle);
  }

  parse(given: Definition, name: string): Definition {
    this.#parsers.name(name);
    return inOrder(this.#parsers.definition(given));
  }

  async write(
    { caller }: Importer,
    name: string,
    { after }: { readonly after: Definition },
  ): Promise<readonly DefinitionDiagnostic[]> {
    await this.#modules.putPackage(caller, name, this.#parsers.definition(after));
    return [];
  }

  async delete({ caller }: Importer, name: string): Promise<void> {
    await this.#modules.deletePackage(caller, name);
  }
}

/** What people look at stands first. */
function inOrder({ package: name, version, license, isCommonJs, ...rest }: PackageBundle) {
  const { typesEntry, types, code, map } = rest;
  const files = Object.entries(types).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const sorted = Object.fromEntries(files);
  return { package: name, version, license, isCommonJs, typesEntry, types: sorted, code, map };
}
