import type { Caller } from '#access/caller.ts';
import type { Definition, DefinitionKind, Importer } from '../definition-kind.ts';

/** Where sets of one kind are. */
interface GoldenSets<Checked> {
  list(caller: Caller): { readonly items: readonly { readonly name: string }[] };
  get(caller: Caller, name: string): Checked;
  put(caller: Caller, name: string, set: Checked, address: string): Promise<unknown>;
  delete(caller: Caller, name: string, address: string): Promise<void>;
}

/** Throw `invalid_request` for what a request would be refused for. */
export interface GoldenParsers<Checked> {
  name(name: string): string;
  definition(definition: Definition): Checked;
}

interface GoldenForm<Checked> extends GoldenParsers<Checked> {
  /** Throws for what the shape does not tell. */
  readonly check: (set: Checked) => void;
  /** As it stands in a file. */
  readonly tidy: (set: Checked) => Definition;
}

/**
 * Golden sets of searches or of answers, without their runs, which are of the workspace in which
 * they were run.
 */
export class GoldenKind<Checked> implements DefinitionKind {
  readonly kind: 'golden-set' | 'golden-answers';
  readonly layout: { readonly folder: string };
  readonly #sets: GoldenSets<Checked>;
  readonly #form: GoldenForm<Checked>;

  constructor(
    { kind, folder }: { readonly kind: 'golden-set' | 'golden-answers'; readonly folder: string },
    sets: GoldenSets<Checked>,
    form: GoldenForm<Checked>,
  ) {
    this.kind = kind;
    this.layout = { folder };
    this.#sets = sets;
    this.#form = form;
  }

  names(caller: Caller): string[] {
    return this.#sets.list(caller).items.map(({ name }) => name);
  }

  read(caller: Caller, name: string): Definition | undefined {
    if (!this.names(caller).includes(name)) return undefined;
    return this.#form.tidy(this.#sets.get(caller, name));
  }

  parse(given: Definition, name: string): Definition {
    this.#form.name(name);
    const set = this.#form.definition(given);
    this.#form.check(set);
    return this.#form.tidy(set);
  }

  async write(
    { caller, address }: Importer,
    name: string,
    { after }: { readonly after: Definition },
  ): Promise<[]> {
    await this.#sets.put(caller, name, this.#form.definition(after), address);
    return [];
  }

  async delete({ caller, address }: Importer, name: string): Promise<void> {
    await this.#sets.delete(caller, name, address);
  }
}
