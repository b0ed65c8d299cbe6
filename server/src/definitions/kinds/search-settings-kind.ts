import type { SearchSettings } from '@trellis/contract/shapes/search.ts';
import type { Caller } from '#access/caller.ts';
import { readSetting } from '#access/settings.ts';
import type { GraphReader } from '#graph/reader.ts';
import { readSearchSettings } from '#search/settings/search-settings-service.ts';
import { SEARCH_SETTING } from '#search/settings/search-settings.ts';
import { inOrder } from '../definition-files.ts';
import type { Definition, DefinitionKind, ImportMode, Importer } from '../definition-kind.ts';

/** As much of the service of search settings as it takes. */
interface Settings {
  put(caller: Caller, settings: SearchSettings, address: string): Promise<SearchSettings>;
}

/**
 * What an administrator has set; as long as nobody has, the defaults hold, which come with the
 * schema.
 */
export class SearchSettingsKind implements DefinitionKind {
  readonly kind = 'search-settings';
  readonly layout = { file: 'search-settings.json' };
  readonly #reader: GraphReader;
  readonly #settings: Settings;
  readonly #parse: (settings: Definition) => SearchSettings;

  /** `parse` throws `invalid_request` for what a request would be refused for. */
  constructor(
    reader: GraphReader,
    settings: Settings,
    parse: (settings: Definition) => SearchSettings,
  ) {
    this.#reader = reader;
    this.#settings = settings;
    this.#parse = parse;
  }

  names(): string[] {
    return this.read() === undefined ? [] : [this.kind];
  }

  read(): Definition | undefined {
    this.#reader.refresh();
    const stored = readSetting(this.#reader, SEARCH_SETTING);
    return stored === undefined ? undefined : (inOrder(stored) as Definition);
  }

  parse(given: Definition): Definition {
    return inOrder(this.#parse(given)) as Definition;
  }

  /**
   * Types that are not given stay as they are, also as the defaults have them, unless the schema
   * comes from the same hand.
   */
  merge(
    before: Definition | undefined,
    given: Definition,
    { isMirror, givenTypes }: ImportMode,
  ): Definition {
    if (isMirror) return given;
    const { types } = this.#parse(given);
    const known = before === undefined ? this.#defaults(givenTypes) : this.#parse(before).types;
    return inOrder({ types: { ...known, ...types } }) as Definition;
  }

  async write(
    { caller, address }: Importer,
    _name: string,
    { after }: { readonly after: Definition },
  ): Promise<[]> {
    await this.#settings.put(caller, this.#parse(after), address);
    return [];
  }

  #defaults(without: ReadonlySet<string>): SearchSettings['types'] {
    const { types } = readSearchSettings(this.#reader);
    return Object.fromEntries(Object.entries(types).filter(([type]) => !without.has(type)));
  }
}
