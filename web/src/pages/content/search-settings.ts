import { ANY_LANGUAGE } from '@trellis/contract/languages.ts';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { FieldType, SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { SearchSettings } from '@trellis/contract/shapes/search.ts';
import { client } from '../../api/client.ts';
import { tellsOfView, useLiveQueries } from '../../app/live-queries.ts';
import { isOwnType } from './schema.ts';

export const searchSettingsQuery = queryOptions({
  queryKey: ['search-settings'],
  queryFn: ({ signal }) => client.search.getSettings({ signal }),
});

const INDEX_KEY = ['search-index'] as const;
const tellsOfIndex = tellsOfView('search');

export const searchIndexQuery = queryOptions({
  queryKey: INDEX_KEY,
  queryFn: ({ signal }) => client.search.getIndex({ signal }),
});

/** The state of the search index, as it is now. */
export function useSearchIndex() {
  useLiveQueries(INDEX_KEY, tellsOfIndex);
  return useQuery(searchIndexQuery);
}

export type TypeSettings = SearchSettings['types'][string];
export type FieldSettings = TypeSettings['fields'][string];

/** How a type is searched that the settings do not name: by its texts. */
export function unnamedType(fields: Readonly<Record<string, FieldType>>): TypeSettings {
  const texts = Object.entries(fields).filter(([, type]) => isTextType(type));
  return {
    searchable: true,
    language: 'auto',
    fields: Object.fromEntries(texts.map(([name]) => [name, { text: { boost: 1 } }])),
  };
}

/**
 * Those of the languages that people choose; any of the others can be set with
 * `trellis search settings`.
 */
export const LANGUAGES = [
  ['auto', 'Detect it for each text'],
  [ANY_LANGUAGE, 'None: words as they are written'],
  ['ar', 'Arabic'],
  ['da', 'Danish'],
  ['de', 'German'],
  ['en', 'English'],
  ['es', 'Spanish'],
  ['fi', 'Finnish'],
  ['fr', 'French'],
  ['hu', 'Hungarian'],
  ['it', 'Italian'],
  ['ja', 'Japanese'],
  ['ko', 'Korean'],
  ['nl', 'Dutch'],
  ['no', 'Norwegian'],
  ['pt', 'Portuguese'],
  ['ro', 'Romanian'],
  ['ru', 'Russian'],
  ['sv', 'Swedish'],
  ['tr', 'Turkish'],
  ['zh', 'Chinese'],
] as const;

/**
 * The types that can be searched: those of the schema, and what is set for one that is not there
 * any more.
 */
export function searchableTypes(schema: SchemaDocument, settings: SearchSettings): string[] {
  const types = schema.nodes.map(({ type }) => type).filter((type) => !isOwnType(type));
  return [...new Set([...types, ...Object.keys(settings.types)])];
}

export function isTextType(type: FieldType | undefined): boolean {
  return type === undefined || type === 'String' || type === 'String[]';
}

export function canHaveVectors(type: FieldType | undefined): boolean {
  return isTextType(type) || type === 'Float[]' || type === 'Double[]';
}
