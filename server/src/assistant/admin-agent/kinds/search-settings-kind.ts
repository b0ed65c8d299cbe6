import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '#access/caller.ts';
import { checkSearchSettings } from '#search/settings/search-settings-service.ts';
import type { SearchSettings } from '@trellis/contract/shapes/search.ts';
import { Problem } from '#base/problem.ts';
import type { JsonObject } from '../../router/json-members.ts';
import {
  type Approver,
  type DefinitionKind,
  invalidChange,
  type Outlook,
  type ProposalDiagnostic,
  type ProposedChange,
  type WantedChange,
} from '../proposal.ts';

/** The part of the service of search settings that this kind uses. */
export interface SearchSettingsAccess {
  get(caller: Caller): SearchSettings;
  /** What holds for types that nobody has set anything for. */
  defaults(): SearchSettings;
  put(caller: Caller, settings: SearchSettings, address: string): Promise<SearchSettings>;
}

const NAME = 'search';

/** All search settings are one definition; a change of it shows only the types that it names. */
export class SearchSettingsKind implements DefinitionKind {
  readonly description =
    'search-settings (its name is "search", its action "change"): {types: {[type]: {searchable, language, fields: {[field]: {text?: ' +
    '{boost}, vector?: {chunk?}, facet?}}}}}, each type that is named with all that holds for it; language is "auto" or two letters';
  readonly #settings: SearchSettingsAccess;
  readonly #parse: (settings: JsonObject) => SearchSettings;

  /** `parse` throws `invalid_request` where a request with this value would be refused. */
  constructor(settings: SearchSettingsAccess, parse: (settings: JsonObject) => SearchSettings) {
    this.#settings = settings;
    this.#parse = parse;
  }

  list(caller: Caller) {
    const { types } = this.#settings.get(caller);
    return [{ name: NAME, summary: `of ${Object.keys(types).length} types` }];
  }

  read(caller: Caller, name: string): JsonObject | undefined {
    return name === NAME ? { ...this.#settings.get(caller) } : undefined;
  }

  propose(caller: Caller, { kind, name, action, definition }: WantedChange): ProposedChange {
    if (name !== NAME || action !== 'change' || definition === undefined) {
      throw invalidChange(
        'Search settings are changed under the name "search"; they are neither made nor deleted',
      );
    }
    const after = this.#parse(definition);
    const before = named(this.#settings.get(caller), after);
    if (isDeepStrictEqual(before, after))
      throw invalidChange('The search settings have these values already');
    return { kind, name, action, before: { ...before }, after: { ...after } };
  }

  current(caller: Caller, { before, after }: ProposedChange): JsonObject | null {
    if (after === null) return null;
    const { types } = named(this.#settings.get(caller), this.#parse(after));
    const known = before === null ? {} : this.#parse(before).types;
    const defaults = this.#settings.defaults().types;
    // A type that has come meanwhile has the defaults, which nobody has changed.
    const changed = Object.entries(types).filter(
      ([type, settings]) =>
        Object.hasOwn(known, type) || !isDeepStrictEqual(settings, defaults[type]),
    );
    return { types: Object.fromEntries(changed) };
  }

  async check({ after }: ProposedChange, { schema }: Outlook): Promise<ProposalDiagnostic[]> {
    try {
      checkSearchSettings(this.#parse(after ?? { types: {} }), schema.nodes);
      return [];
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return [{ message: error.message }];
    }
  }

  /** No search setting gives access: nobody finds what they may not see. */
  widenedBy(): [] {
    return [];
  }

  async commit({ caller, address }: Approver, { after }: ProposedChange): Promise<null> {
    if (after === null) return null;
    const types = { ...this.#settings.get(caller).types, ...this.#parse(after).types };
    await this.#settings.put(caller, { types }, address);
    return null;
  }
}

function named({ types }: SearchSettings, names: SearchSettings): SearchSettings {
  const wanted = Object.entries(types).filter(([type]) => Object.hasOwn(names.types, type));
  return { types: Object.fromEntries(wanted) };
}
