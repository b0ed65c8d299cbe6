import type { SearchSettings } from '@trellis/contract/shapes/search.ts';
import { type AuditTrail, deed } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { readSetting, settingOperation, settingVersion } from '#access/settings.ts';
import {
  SEARCH_CHUNK_CHARACTERS_DEFAULT,
  SEARCH_INDEXED_FIELDS_MAX,
  SEARCH_VECTOR_FIELDS_MAX,
} from '#base/search-limits.ts';
import { Problem } from '#base/problem.ts';
import { FILE_TYPE } from '#graph/file-nodes.ts';
import { didYouMean } from '#graph/names.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { NodeTypeDocument } from '#graph/schema.ts';
import type { Staging } from '#graph/staged-commits.ts';
import {
  AUTO_LANGUAGE,
  defaultSettings,
  fittingSettings,
  type FieldSettings,
  isText,
  isVector,
  mayBeFacet,
  SEARCH_SETTING,
  type VectorSettings,
  withUnfit,
} from './search-settings.ts';
import { ANALYSIS_LANGUAGES } from '../analysis/languages.ts';

export interface SearchSettingsParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  /** Model of the provider of embeddings; undefined without a provider. */
  readonly embeddingModel: () => string | undefined;
  /** Called after a commit that changes which types can be searched, or how. */
  readonly onIndexChanged: (change: IndexChange) => void;
}

/** Names of types. */
export interface IndexChange {
  /** Types that can be searched from now on, or in another way than before. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** The settings as of the commit that the reader stands at. */
export function readSearchSettings(reader: GraphReader): SearchSettings {
  const stored = readSetting(reader, SEARCH_SETTING);
  const schema = reader.schema();
  return stored === undefined
    ? defaultSettings(schema)
    : fittingSettings(stored as SearchSettings, schema.nodes);
}

/** What can be searched (open-shapes, section 6). */
export class SearchSettingsService {
  readonly #parts: SearchSettingsParts;

  constructor(parts: SearchSettingsParts) {
    this.#parts = parts;
  }

  get(_caller: Caller): SearchSettings {
    this.#parts.reader.refresh();
    return readSearchSettings(this.#parts.reader);
  }

  /**
   * Replaces the settings, but for those of what was dropped from the schema. Throws
   * `invalid_request` for what the schema does not have, `version_conflict` if somebody else
   * changed them meanwhile.
   */
  async put(caller: Caller, given: SearchSettings, address: string): Promise<SearchSettings> {
    const { reader, commits, audit, onIndexChanged } = this.#parts;
    reader.refresh();
    checkSearchSettings(given, reader.schema().nodes);
    const settings = withVectorDefaults(given, reader, this.#parts.embeddingModel());
    const change = changeBetween(readSearchSettings(reader), settings);
    const version = settingVersion(reader, SEARCH_SETTING);
    const target = { kind: 'settings', id: SEARCH_SETTING };
    const types = Object.keys(settings.types);
    await commits.commit({
      system: true,
      operations: [
        settingOperation(SEARCH_SETTING, this.#withUnfit(settings), version),
        audit.operation(deed('search.settings-changed', { caller, address }, target, { types })),
      ],
    });
    if (change.added.length + change.removed.length > 0) onIndexChanged(change);
    return settings;
  }

  /** Those that do not fit the schema now are in force again once it is as it was. */
  #withUnfit(settings: SearchSettings): SearchSettings {
    const { reader } = this.#parts;
    const stored = readSetting(reader, SEARCH_SETTING) as SearchSettings | undefined;
    return stored === undefined ? settings : withUnfit(settings, stored, reader.schema().nodes);
  }

  /** The same, as a part of a larger commit. */
  over({ reader, commits, afterwards }: Staging): SearchSettingsService {
    const { onIndexChanged } = this.#parts;
    const onStaged = (change: IndexChange): void => afterwards(() => onIndexChanged(change));
    return new SearchSettingsService({
      ...this.#parts,
      reader,
      commits,
      onIndexChanged: onStaged,
    });
  }
}

function changeBetween(before: SearchSettings, after: SearchSettings): IndexChange {
  const searched = ({ types }: SearchSettings): Map<string, string> =>
    new Map(
      Object.entries(types)
        .filter(([, { searchable }]) => searchable)
        .map(([name, type]) => [name, JSON.stringify(type)]),
    );
  const [were, are] = [searched(before), searched(after)];
  return {
    added: [...are.keys()].filter((name) => are.get(name) !== were.get(name)),
    removed: [...were.keys()].filter((name) => !are.has(name)),
  };
}

/** Throws `invalid_request` for what the types of nodes do not have. */
export function checkSearchSettings(
  { types }: SearchSettings,
  nodes: readonly NodeTypeDocument[],
): void {
  let count = 0;
  let vectors = 0;
  for (const [name, { language, fields }] of Object.entries(types)) {
    const path = `types.${name}`;
    const type = nodes.find((one) => one.type === name);
    if (type === undefined || (name.startsWith('_') && name !== FILE_TYPE)) {
      const names = nodes.map((one) => one.type).filter((one) => !one.startsWith('_'));
      throw invalid(path, 'is no node type of this workspace', didYouMean(name, names).hint);
    }
    checkLanguage(language, `${path}.language`);
    for (const [field, own] of Object.entries(fields)) {
      checkField(type, field, own, `${path}.fields.${field}`);
      if (own.text !== undefined) count++;
      if (own.vector !== undefined) vectors++;
    }
  }
  if (count > SEARCH_INDEXED_FIELDS_MAX) {
    throw invalid('types', `searches ${count} fields; at most ${SEARCH_INDEXED_FIELDS_MAX} can be`);
  }
  if (vectors > SEARCH_VECTOR_FIELDS_MAX) {
    throw invalid(
      'types',
      `gives vectors to ${vectors} fields; at most ${SEARCH_VECTOR_FIELDS_MAX} can have them`,
    );
  }
}

function checkField(
  { fields, key }: NodeTypeDocument,
  name: string,
  { text, vector, facet }: FieldSettings,
  path: string,
): void {
  const kind = name === key ? 'String' : fields[name];
  if (kind === undefined) {
    const names = Object.keys(fields);
    throw invalid(path, 'is no field of this type', didYouMean(name, names).hint);
  }
  if (text !== undefined && !isText(kind)) {
    throw invalid(`${path}.text`, `is for fields of text, and this one is of ${kind}`);
  }
  if (vector !== undefined) checkVector(kind, vector, `${path}.vector`);
  if (facet === true && !mayBeFacet(kind)) {
    throw invalid(`${path}.facet`, `is not for fields of ${kind}`);
  }
  if (text?.language !== undefined) checkLanguage(text.language, `${path}.text.language`);
}

function checkVector(kind: string, { chunk }: VectorSettings, path: string): void {
  if (!isText(kind) && !isVector(kind)) {
    const hint = 'Text is embedded; lists of numbers are vectors as they are.';
    throw invalid(path, `is for fields of String, Float[] and Double[], not of ${kind}`, hint);
  }
  if (chunk !== undefined && isVector(kind)) {
    throw invalid(`${path}.chunk`, `is for text, and this field is of ${kind}`);
  }
}

function checkLanguage(language: string, path: string): void {
  if (language === AUTO_LANGUAGE || ANALYSIS_LANGUAGES.includes(language)) return;
  const known = [AUTO_LANGUAGE, ...ANALYSIS_LANGUAGES].join(', ');
  throw invalid(path, `is no language of the text search`, `It is one of ${known}.`);
}

function invalid(path: string, message: string, hint?: string): Problem {
  return new Problem('invalid_request', `body, ${path}: ${message}`, {
    details: { fields: [{ path, message }] },
    ...(hint === undefined ? {} : { hint }),
  });
}

/** The model of vectors that came with nodes, if the settings name none. */
const EXTERNAL_MODEL = 'external';

/**
 * Fills in the model and chunk size of vectors, so that changing the provider later does not change
 * a field's vectors. Throws `invalid_request` if no model is known.
 */
function withVectorDefaults(
  { types }: SearchSettings,
  reader: GraphReader,
  model: string | undefined,
): SearchSettings {
  const { nodes } = reader.schema();
  return {
    types: mapValues(types, (type, name) => {
      const schema = nodes.find((node) => node.type === name);
      const fields = mapValues(type.fields, (own, field): FieldSettings => {
        if (own.vector === undefined) return own;
        const path = `types.${name}.fields.${field}.vector`;
        return { ...own, vector: filled(own.vector, kindOf(schema, field), { model, path }) };
      });
      return { ...type, fields };
    }),
  };
}

function filled(
  vector: VectorSettings,
  kind: string,
  known: { readonly model: string | undefined; readonly path: string },
): VectorSettings {
  if (isVector(kind)) return { model: vector.model ?? EXTERNAL_MODEL };
  const model = vector.model ?? known.model;
  if (model === undefined) {
    const message = 'is missing, and there is no provider of embeddings to name one';
    throw new Problem('invalid_request', `body, ${known.path}.model: ${message}`, {
      hint: 'Configure a provider with PUT /api/chatai/providers, or name the model.',
      details: { fields: [{ path: `${known.path}.model`, message }] },
    });
  }
  return { model, chunk: vector.chunk ?? SEARCH_CHUNK_CHARACTERS_DEFAULT };
}

function kindOf(schema: NodeTypeDocument | undefined, field: string): string {
  return schema?.fields[field] ?? 'String';
}

function mapValues<V, W>(
  record: Readonly<Record<string, V>>,
  map: (value: V, name: string) => W,
): Record<string, W> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, map(value, name)]),
  );
}
