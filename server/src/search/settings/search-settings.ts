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
 * every text field of every type but the system's, and the key by which its nodes are called. The
 * words of another key count only if the schema lists it as a field.
 */
export function defaultSettings(schema: SchemaDocument): SearchSettings {
  const types: Record<string, TypeSettings> = {};
  for (const { type, key, label = key, fields } of schema.nodes) {
    if (type.startsWith('_')) continue;
    const texts = Object.keys(fields).filter((name) => isText(fields[name] ?? ''));
    const names = new Set([...(key !== undefined && label === key ? [key] : []), ...texts]);
    types[type] = {
      searchable: true,
      language: AUTO_LANGUAGE,
      fields: Object.fromEntries([...names].map((name) => [name, { text: { boost: 1 } }])),
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

/** Whether values of this kind are ever equal, and single. */
export function mayBeFacet(kind: string): boolean {
  return !/^(?:Json|Bytes|GeoPoint)/.test(kind);
}

/** The settings without those of types and fields that the schema lacks, or has of other kinds. */
export function fittingSettings(
  { types }: SearchSettings,
  nodes: readonly NodeTypeDocument[],
): SearchSettings {
  const known = new Map(nodes.map((node) => [node.type, node]));
  const fitting = Object.entries(types).flatMap(([name, type]) => {
    const node = known.get(name);
    if (node === undefined) return [];
    const fields = Object.entries(type.fields).flatMap(([field, own]) => {
      const fit = partsOf(own, (part) => fits(kindOf(node, field), own, part));
      return kindOf(node, field) === undefined ? [] : [[field, fit] as const];
    });
    return [[name, { ...type, fields: Object.fromEntries(fields) }] as const];
  });
  return { types: Object.fromEntries(fitting) };
}

/** The given settings, with the stored ones that do not fit the schema. */
export function withUnfit(
  given: SearchSettings,
  stored: SearchSettings,
  nodes: readonly NodeTypeDocument[],
): SearchSettings {
  const known = new Map(nodes.map((node) => [node.type, node]));
  const types: Record<string, TypeSettings> = { ...given.types };
  for (const [name, type] of Object.entries(stored.types)) {
    const node = known.get(name);
    const own = Object.hasOwn(given.types, name) ? given.types[name] : undefined;
    if (node === undefined) types[name] ??= type;
    if (node === undefined || own === undefined) continue;
    const fields: Record<string, FieldSettings> = { ...own.fields };
    for (const [field, settings] of Object.entries(type.fields)) {
      const unfit = partsOf(settings, (part) => !fits(kindOf(node, field), settings, part));
      if (Object.keys(unfit).length > 0) fields[field] = { ...unfit, ...fields[field] };
    }
    types[name] = { ...own, fields };
  }
  return { types };
}

type NodeTypeDocument = SchemaDocument['nodes'][number];

function kindOf({ key, fields }: NodeTypeDocument, field: string): string | undefined {
  if (field === key) return 'String';
  return Object.hasOwn(fields, field) ? fields[field] : undefined;
}

function fits(kind: string | undefined, { vector }: FieldSettings, part: string): boolean {
  if (kind === undefined) return false;
  if (part === 'text') return isText(kind);
  if (part === 'facet') return mayBeFacet(kind);
  return isText(kind) || (isVector(kind) && vector?.chunk === undefined);
}

function partsOf(own: FieldSettings, isKept: (part: string) => boolean): FieldSettings {
  return Object.fromEntries(Object.entries(own).filter(([part]) => isKept(part)));
}
