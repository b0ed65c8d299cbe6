import type {
  LlmSearchLists,
  LlmSearchSettingsService,
} from '#search/settings/llm-search-settings.ts';
import type { Definition, DefinitionKind, Importer } from '../definition-kind.ts';

/**
 * An empty list stands for all that there is, which is what holds as long as nobody has set
 * anything.
 */
export class LlmSearchSettingsKind implements DefinitionKind {
  readonly kind = 'llm-search-settings';
  readonly layout = { file: 'llm-search-settings.json' };
  readonly nothing = { nodeTypes: [], filters: [] };
  readonly #settings: Pick<LlmSearchSettingsService, 'stored' | 'put'>;
  readonly #parse: (settings: Definition) => LlmSearchLists;

  /** `parse` throws `invalid_request` for what a request would be refused for. */
  constructor(
    settings: Pick<LlmSearchSettingsService, 'stored' | 'put'>,
    parse: (settings: Definition) => LlmSearchLists,
  ) {
    this.#settings = settings;
    this.#parse = parse;
  }

  names(): string[] {
    return this.read() === undefined ? [] : [this.kind];
  }

  read(): Definition | undefined {
    const { nodeTypes, filters } = this.#settings.stored();
    return nodeTypes.length + filters.length === 0 ? undefined : { nodeTypes, filters };
  }

  parse(given: Definition): Definition {
    return tidy(this.#parse(given));
  }

  async write(
    { caller, address }: Importer,
    _name: string,
    { after }: { readonly after: Definition },
  ): Promise<[]> {
    await this.#settings.put(caller, this.#parse(after), address);
    return [];
  }
}

function tidy({ nodeTypes, filters }: LlmSearchLists): Definition {
  return { nodeTypes, filters };
}
