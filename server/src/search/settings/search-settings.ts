import { FILE_TYPE } from '#graph/file-nodes.ts';
import type { SchemaDocument } from '#graph/schema.ts';

/** What can be searched, and how (open-shapes, section 6). The same shape as the contract's. */
export interface SearchSettings {
  readonly types: Readonly<Record<string, TypeSettings>>;
}

export interface TypeSettings {
  readonly searchable: boolean;
  /** One of ANALYSIS_LANGUAGES, or `auto`: found out from each text. */
  readonly language: string;
  readonly fields: Readonly<Record<string, FieldSettings>>;
}

export interface FieldSettings {
  readonly text?: { readonly boost: number; readonly language?: string | undefined } | undefined;
  readonly vector?: VectorSettings | undefined;
  readonly facet?: boolean | undefined;
}

export interface VectorSettings {
  /** Always there once they are stored. */
  readonly model?: string | undefined;
  /** The same, of a text. */
  readonly chunk?: number | undefined;
}

/** Found out from each text. */
export const AUTO_LANGUAGE = 'auto';

/** The name of the setting that holds them. */
export const SEARCH_SETTING = 'search';

/**
 * What holds as long as an administrator has said nothing: every field that is text, of every type of the workspace's own. The
 * key is no text, unless the schema lists it as a field.
 */
export function defaultSettings(schema: SchemaDocument): SearchSettings {
  const types: Record<string, TypeSettings> = {};
  for (const { type, fields } of schema.nodes) {
    const texts = Object.entries(fields).filter(([, kind]) => isText(kind));
    if (type.startsWith('_') || texts.length === 0) continue;
    types[type] = {
      searchable: true,
      language: AUTO_LANGUAGE,
      fields: Object.fromEntries(texts.map(([name]) => [name, { text: { boost: 1 } }])),
    };
  }
  return { types };
}

/** How files are searched where the settings say nothing of them: by their names, and by the text in them. */
const FILE_SETTINGS: TypeSettings = {
  searchable: true,
  language: AUTO_LANGUAGE,
  fields: { Name: { text: { boost: 2 } }, Text: { text: { boost: 1 } } },
};

/** The same settings with those of files, which need not be named in them. */
export function withFiles({ types }: SearchSettings): SearchSettings {
  return { types: { [FILE_TYPE]: FILE_SETTINGS, ...types } };
}

/** The field without which a file is not searched: those of the admin agent's conversations do not have it. */
export const SEARCHED_FILE_FIELD = 'TextState';

/** Whether a value of fields of this kind is a vector as it is. */
export function isVector(kind: string): boolean {
  return kind === 'Float[]' || kind === 'Double[]';
}

/** Whether words can be looked for in fields of this kind. */
export function isText(kind: string): boolean {
  return kind === 'String' || kind === 'String[]';
}
