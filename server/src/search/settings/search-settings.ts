import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { SearchSettings } from '@trellis/contract/shapes/search.ts';
import { FILE_TYPE } from '#graph/file-nodes.ts';

export type TypeSettings = SearchSettings['types'][string];
export type FieldSettings = TypeSettings['fields'][string];
/** Stored ones have a model, those of text a chunk too. */
export type VectorSettings = NonNullable<FieldSettings['vector']>;

/** Found out from each text. */
export const AUTO_LANGUAGE = 'auto';

/** The name of the setting that holds them. */
export const SEARCH_SETTING = 'search';

/**
 * The settings until an administrator changes them, and of types that the settings do not name:
 * every text field of every type but the system's. The words of the key count only if the schema
 * lists it as a field.
 */
export function defaultSettings(schema: SchemaDocument): SearchSettings {
  const types: Record<string, TypeSettings> = {};
  for (const { type, fields } of schema.nodes) {
    const texts = Object.entries(fields).filter(([, kind]) => isText(kind));
    if (type.startsWith('_')) continue;
    types[type] = {
      searchable: true,
      language: AUTO_LANGUAGE,
      fields: Object.fromEntries(texts.map(([name]) => [name, { text: { boost: 1 } }])),
    };
  }
  return { types };
}

/** How files are searched if the settings do not say: by name and by text. */
const FILE_SETTINGS: TypeSettings = {
  searchable: true,
  language: AUTO_LANGUAGE,
  fields: { Name: { text: { boost: 2 } }, Text: { text: { boost: 1 } } },
};

/** Adds the settings of files, unless they are there. */
export function withFiles({ types }: SearchSettings): SearchSettings {
  return { types: { [FILE_TYPE]: FILE_SETTINGS, ...types } };
}

/** Adds the settings of the types of the schema that are not there. */
export function withUnnamedTypes(
  { types }: SearchSettings,
  schema: SchemaDocument,
): SearchSettings {
  return { types: { ...defaultSettings(schema).types, ...types } };
}

/** A file without this field is not searched, such as files of the admin agent's conversations. */
export const SEARCHED_FILE_FIELD = 'TextState';

/** Whether a value of fields of this kind is a vector as it is. */
export function isVector(kind: string): boolean {
  return kind === 'Float[]' || kind === 'Double[]';
}

/** Whether words can be looked for in fields of this kind. */
export function isText(kind: string): boolean {
  return kind === 'String' || kind === 'String[]';
}
