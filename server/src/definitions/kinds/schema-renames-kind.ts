import type { SchemaRenames } from '@trellis/contract/shapes/schema-change.ts';
import type { SchemaRename } from '#graph/schema-rename.ts';
import type { Definition, DefinitionKind, Importer } from '../definition-kind.ts';

/** As much of what renames as it takes. */
interface Renamer {
  due(given: SchemaRenames['renames']): readonly SchemaRename[];
  rename(by: Importer, renames: readonly SchemaRename[]): Promise<void>;
}

/**
 * What the schema of the files calls otherwise than the workspace may: people write it, and nobody
 * exports it. What was renamed before is left alone, so the file may stay.
 */
export class SchemaRenamesKind implements DefinitionKind {
  readonly kind = 'schema-renames';
  readonly layout = { file: 'schema-renames.json' };
  readonly nothing = { renames: [] };
  readonly #renamer: Renamer;
  readonly #parse: (file: Definition) => SchemaRenames;

  /** `parse` throws `invalid_request` for what a request would be refused for. */
  constructor(renamer: Renamer, parse: (file: Definition) => SchemaRenames) {
    this.#renamer = renamer;
    this.#parse = parse;
  }

  names(): [] {
    return [];
  }

  read(): undefined {
    return undefined;
  }

  parse(given: Definition): Definition {
    return this.#parse(given);
  }

  merge(_before: undefined, given: Definition): Definition {
    return { renames: this.#renamer.due(this.#parse(given).renames) };
  }

  async write(by: Importer, _name: string, { after }: { readonly after: Definition }): Promise<[]> {
    await this.#renamer.rename(by, this.#renamer.due(this.#parse(after).renames));
    return [];
  }
}
