import type { Migration, MigrationChange } from '@trellis/contract/shapes/migration.ts';
import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import type { MigrationService } from '#runtime/migrations/migration-service.ts';
import type {
  Definition,
  DefinitionDiagnostic,
  DefinitionKind,
  Importer,
} from '../definition-kind.ts';

/** Throw `invalid_request` for what a request would be refused for. */
export interface MigrationParsers {
  name(name: string): string;
  definition(definition: Definition): MigrationChange;
}

export interface MigrationSources {
  readonly migrations: Pick<MigrationService, 'list' | 'get' | 'create' | 'put' | 'delete'>;
}

/**
 * Code and when it runs; not whether it has, which belongs to the data of one workspace. An import
 * runs none: what is new is pending, what is there stays done.
 */
export class MigrationKind implements DefinitionKind {
  readonly kind = 'migration';
  readonly layout = {
    folder: 'migrations',
    text: { member: 'code', ending: '.ts', endsLine: false },
  };
  readonly #sources: MigrationSources;
  readonly #parsers: MigrationParsers;

  constructor(sources: MigrationSources, parsers: MigrationParsers) {
    this.#sources = sources;
    this.#parsers = parsers;
  }

  names(caller: Caller): string[] {
    const { items } = this.#sources.migrations.list(caller, { skip: 0, take: Infinity });
    return items.map(({ name }) => name);
  }

  read(caller: Caller, name: string): Definition | undefined {
    const migration = this.#find(caller, name);
    return migration && tidy(migration);
  }

  parse(given: Definition, name: string): Definition {
    this.#parsers.name(name);
    return tidy(this.#parsers.definition(given));
  }

  /** In a dry run alone: whoever writes it has it compiled. */
  async write(
    { caller, address }: Importer,
    name: string,
    { before, after }: { readonly before: Definition | undefined; readonly after: Definition },
  ): Promise<readonly DefinitionDiagnostic[]> {
    const { code = '', runOnStartup = false } = this.#parsers.definition(after);
    const settings = { code, runOnStartup };
    const { migrations } = this.#sources;
    const written =
      before === undefined
        ? await migrations.create(caller, { ...settings, name }, address)
        : await migrations.put(caller, name, settings, address);
    return written.diagnostics;
  }

  async delete({ caller, address }: Importer, name: string): Promise<void> {
    await this.#sources.migrations.delete(caller, name, address);
  }

  /** By its name alone: a file that is named like a UID is none of that migration. */
  #find(caller: Caller, name: string): Migration | undefined {
    try {
      const found = this.#sources.migrations.get(caller, name);
      return found.name === name ? found : undefined;
    } catch (error) {
      if (error instanceof Problem && error.code === 'migration_not_found') return undefined;
      throw error;
    }
  }
}

function tidy({ code = '', runOnStartup = false }: MigrationChange): Definition {
  return { runOnStartup, code };
}
