import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import { importedNames } from '#runtime/compile/imported-modules.ts';
import type { ModuleDefinitions } from '#runtime/modules/module-definitions.ts';
import type {
  Definition,
  DefinitionDiagnostic,
  DefinitionKind,
  Importer,
  PackedDefinition,
} from '../definition-kind.ts';

/** Throw `invalid_request` for what a request would be refused for. */
export interface ModuleParsers {
  name(name: string): string;
  definition(definition: Definition): { readonly code: string };
}

/** Code that others import. There is nothing to set, so that the text is the whole definition. */
export class ModuleKind implements DefinitionKind {
  readonly kind = 'module';
  readonly layout = {
    folder: 'lib',
    text: { member: 'code', ending: '.ts', endsLine: false, isAlone: true },
  };
  readonly #modules: ModuleDefinitions;
  readonly #parsers: ModuleParsers;

  constructor(modules: ModuleDefinitions, parsers: ModuleParsers) {
    this.#modules = modules;
    this.#parsers = parsers;
  }

  names(caller: Caller): string[] {
    const { items } = this.#modules.list(caller, { skip: 0, take: Infinity });
    return items.map(({ name }) => name);
  }

  read(caller: Caller, name: string): Definition | undefined {
    try {
      const { code } = this.#modules.get(caller, name);
      return { code };
    } catch (error) {
      if (error instanceof Problem && error.code === 'module_not_found') return undefined;
      throw error;
    }
  }

  parse(given: Definition, name: string): Definition {
    this.#parsers.name(name);
    const { code } = this.#parsers.definition(given);
    return { code };
  }

  /** Each after what it imports; those of a circle in the order of their names. */
  inOrder(packed: readonly PackedDefinition[]): PackedDefinition[] {
    const byName = new Map(packed.map((one) => [one.name, one]));
    const ordered = new Set<PackedDefinition>();
    const seen = new Set<string>();
    const visit = (one: PackedDefinition): void => {
      if (seen.has(one.name)) return;
      seen.add(one.name);
      for (const name of importedNames(one.text?.text ?? '')) {
        const imported = byName.get(name);
        if (imported !== undefined) visit(imported);
      }
      ordered.add(one);
    };
    for (const one of packed) visit(one);
    return [...ordered];
  }

  async write(
    { caller }: Importer,
    name: string,
    { before, after }: { readonly before: Definition | undefined; readonly after: Definition },
  ): Promise<readonly DefinitionDiagnostic[]> {
    const { code } = this.#parsers.definition(after);
    const written =
      before === undefined
        ? await this.#modules.create(caller, { name, code })
        : await this.#modules.change(caller, name, { code });
    return written.diagnostics;
  }

  async delete({ caller }: Importer, name: string): Promise<void> {
    await this.#modules.delete(caller, name);
  }
}
