import type { CheckedGoldenSet } from '@trellis/contract/shapes/search-evaluation.ts';
import type { Caller } from '#access/caller.ts';
import { checkGoldenSet } from '#search/evaluation/evaluate.ts';
import type { GoldenSetService } from '#search/evaluation/golden-set-service.ts';
import { inOrder } from '../definition-files.ts';
import type { Definition, DefinitionKind, Importer } from '../definition-kind.ts';

type GoldenSets = Pick<GoldenSetService, 'list' | 'get' | 'put' | 'delete'>;

/** Throw `invalid_request` for what a request would be refused for. */
export interface GoldenSetParsers {
  name(name: string): string;
  definition(definition: Definition): CheckedGoldenSet;
}

/** Without their runs, which are of the workspace in which they were run. */
export class GoldenSetKind implements DefinitionKind {
  readonly kind = 'golden-set';
  readonly layout = { folder: 'golden-sets' };
  readonly #sets: GoldenSets;
  readonly #parsers: GoldenSetParsers;

  constructor(sets: GoldenSets, parsers: GoldenSetParsers) {
    this.#sets = sets;
    this.#parsers = parsers;
  }

  names(caller: Caller): string[] {
    return this.#sets.list(caller).items.map(({ name }) => name);
  }

  read(caller: Caller, name: string): Definition | undefined {
    return this.names(caller).includes(name) ? tidy(this.#sets.get(caller, name)) : undefined;
  }

  parse(given: Definition, name: string): Definition {
    this.#parsers.name(name);
    const set = this.#parsers.definition(given);
    checkGoldenSet(set);
    return tidy(set);
  }

  async write(
    { caller }: Importer,
    name: string,
    { after }: { readonly after: Definition },
  ): Promise<[]> {
    await this.#sets.put(caller, name, this.#parsers.definition(after));
    return [];
  }

  async delete({ caller }: Importer, name: string): Promise<void> {
    await this.#sets.delete(caller, name);
  }
}

function tidy({ description, request, queries }: CheckedGoldenSet): Definition {
  return {
    description,
    request: inOrder(request),
    queries: queries.map(({ query, relevant }) => ({ query, relevant: relevant.map(inOrder) })),
  };
}
