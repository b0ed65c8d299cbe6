import type { LlmSearchSettings } from '@trellis/contract/shapes/search.ts';
import { type AuditTrail, deed } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { readSetting, settingOperation, settingVersion } from '#access/settings.ts';
import { didYouMean } from '#graph/names.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { Staging } from '#graph/staged-commits.ts';
import { isObject } from '#base/assert.ts';
import { invalid } from '../request/members.ts';
import { withUnnamedTypes } from './search-settings.ts';
import { readSearchSettings } from './search-settings-service.ts';

/** As it is stored: an empty list allows everything. */
export type LlmSearchLists = Omit<LlmSearchSettings, 'available'>;

export interface LlmSearchSettingsParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
}

export const LLM_SEARCH_SETTING = 'search.llm';
const DEFAULTS: LlmSearchLists = { nodeTypes: [], filters: [] };
/** Fields whose values are not compared. */
const NOT_COMPARED = /^(?:Json|Bytes|GeoPoint)/;

/** Keeps a model to the point. What its user may see is decided elsewhere. */
export class LlmSearchSettingsService {
  readonly #parts: LlmSearchSettingsParts;

  constructor(parts: LlmSearchSettingsParts) {
    this.#parts = parts;
  }

  get(_caller: Caller): LlmSearchSettings {
    const available = this.#available();
    return { ...inForce(this.stored(), available), available };
  }

  /** Throws `invalid_request` for what cannot be searched, and `version_conflict`. */
  async put(caller: Caller, given: LlmSearchLists, address: string): Promise<LlmSearchSettings> {
    const { reader, commits, audit } = this.#parts;
    const available = this.#available();
    refuseUnknown('nodeTypes', given.nodeTypes, Object.keys(available));
    const { nodeTypes } = inForce(given, available);
    refuseUnknown('filters', given.filters, filtersOf(nodeTypes, available));
    const settings = { nodeTypes: given.nodeTypes, filters: given.filters };
    const target = { kind: 'settings', id: LLM_SEARCH_SETTING };
    await commits.commit({
      system: true,
      operations: [
        settingOperation(LLM_SEARCH_SETTING, settings, settingVersion(reader, LLM_SEARCH_SETTING)),
        audit.operation(deed('search.llm-settings-changed', { caller, address }, target, settings)),
      ],
    });
    return this.get(caller);
  }

  /** The same, as a part of a larger commit. */
  over({ reader, commits }: Staging): LlmSearchSettingsService {
    return new LlmSearchSettingsService({ ...this.#parts, reader, commits });
  }

  /**
   * The request of a model, limited to the settings. Throws `invalid_request` if it names other
   * types or filters; the search itself refuses what is no request.
   */
  narrowed(request: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const stored = this.stored();
    if (stored.nodeTypes.length + stored.filters.length === 0) return request;
    const { nodeTypes, filters } = inForce(stored, this.#available());
    // No types would mean all of them.
    if (nodeTypes.length === 0) throw invalid('types', 'none is for models any more');
    const wanted = namesIn(request['types']);
    refuseOthers('types', wanted, nodeTypes);
    if (stored.filters.length > 0) {
      refuseOthers('filters', fieldsIn(request['filters']), filters);
    }
    return wanted.length > 0 ? request : { ...request, types: nodeTypes };
  }

  /** The stored lists, in force or not; empty by default. */
  stored(): LlmSearchLists {
    const { reader } = this.#parts;
    reader.refresh();
    return (readSetting(reader, LLM_SEARCH_SETTING) as LlmSearchLists | undefined) ?? DEFAULTS;
  }

  #available(): Record<string, readonly string[]> {
    const { reader } = this.#parts;
    reader.refresh();
    const schema = reader.schema();
    const { types } = withUnnamedTypes(readSearchSettings(reader), schema);
    const searched = schema.nodes.filter(({ type }) => types[type]?.searchable === true);
    return Object.fromEntries(
      searched.map(({ type, fields }) => [
        type,
        Object.keys(fields).filter((name) => !NOT_COMPARED.test(fields[name] ?? '')),
      ]),
    );
  }
}

function inForce(
  { nodeTypes, filters }: LlmSearchLists,
  available: LlmSearchSettings['available'],
): LlmSearchLists {
  const all = Object.keys(available);
  const types = nodeTypes.length === 0 ? all : nodeTypes.filter((name) => all.includes(name));
  const known = filtersOf(types, available);
  const fields = filters.length === 0 ? known : filters.filter((name) => known.includes(name));
  return { nodeTypes: types, filters: fields };
}

function filtersOf(types: readonly string[], available: LlmSearchSettings['available']): string[] {
  return [...new Set(types.flatMap((name) => available[name] ?? []))];
}

/** The items as strings. The search itself refuses what is no name. */
function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** The field names in filters, in both of their forms. */
function fieldsIn(filters: unknown): string[] {
  if (Array.isArray(filters)) return filters.map((one: unknown) => String(Object(one).field));
  return isObject(filters) ? Object.keys(filters) : [];
}

function refuseUnknown(path: string, names: readonly string[], known: readonly string[]): void {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw invalid(
    path,
    `"${unknown}" is not among what can be searched`,
    didYouMean(unknown, known).hint,
  );
}

function refuseOthers(path: string, names: readonly string[], allowed: readonly string[]): void {
  const other = names.find((name) => !allowed.includes(name));
  if (other === undefined) return;
  throw invalid(path, `"${other}" is not for models`, `Leave out ${path} to search all that is.`);
}
