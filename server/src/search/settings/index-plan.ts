import type { SearchSettings } from '@trellis/contract/shapes/search.ts';
import { createHash } from 'node:crypto';
import { must } from '#base/assert.ts';
import { SEARCH_INDEXED_FIELDS_MAX } from '#base/search-limits.ts';
import { FILE_TYPE } from '#graph/file-nodes.ts';
import type { NodeType, SchemaRegistry } from '#graph/schema-registry.ts';
import { isText, SEARCHED_FILE_FIELD } from './search-settings.ts';
import type { FieldSettings, TypeSettings } from './search-settings.ts';

/** How the nodes of one type become documents. */
export interface PlannedType {
  readonly name: string;
  /** Its name in what is kept of the index: a rename of the type does not change it. */
  readonly origin: string;
  /** The number of the type in the schema. */
  readonly id: number;
  readonly texts: readonly PlannedText[];
  readonly facets: readonly PlannedFacet[];
  /** What its nodes are called by: the key and the label. */
  readonly names: readonly PlannedName[];
  /** Changes when the type's words and facets have to be indexed again. */
  readonly digest: string;
  readonly vectors: readonly PlannedVector[];
  /** What its nodes count for among others of the same name. */
  readonly weight: number;
  /** Nodes without this field are left out. */
  readonly needs?: string;
  /** Former names of fields, with those of now. Only where searches read it: see `namedNow`. */
  readonly former?: ReadonlyMap<string, string>;
}

export interface PlannedText {
  readonly name: string;
  /** As that of the type. */
  readonly origin: string;
  /** In the index: one for each pair of a type and a field. */
  readonly field: number;
  readonly boost: number;
  readonly language: string;
}

export interface PlannedName {
  /** As nodes show it. */
  readonly name: string;
  readonly origin: string;
  /** As `PlannedText.field`: the same number where its words are searched, too. */
  readonly field: number;
  readonly isKey: boolean;
}

export interface PlannedVector {
  readonly name: string;
  readonly origin: string;
  readonly model: string;
  /** Characters of a chunk at most; undefined where values are vectors as they are. */
  readonly chunk: number | undefined;
}

export interface PlannedFacet {
  readonly name: string;
  /** As that of a text. */
  readonly origin: string;
  /** In the index: the same for fields of the same name. */
  readonly column: number;
}

/**
 * The numbers of fields and columns in the index. They stay while the index exists; new ones are
 * added.
 */
export interface IndexNumbers {
  /** `type\nfield` by their origins; the place in the list is the number. */
  readonly fields: readonly string[];
  /** Names of fields; the place in the list is the number. */
  readonly columns: readonly string[];
}

export interface IndexPlan {
  readonly numbers: IndexNumbers;
  /** By the number of the type in the schema. */
  readonly types: ReadonlyMap<number, PlannedType>;
}

export const NO_NUMBERS: IndexNumbers = { fields: [], columns: [] };

/**
 * The settings for the indexer, without types and fields that the schema lacks (yet). `numbers` are
 * those of the existing index.
 */
export function planIndex(
  settings: SearchSettings,
  schema: SchemaRegistry,
  numbers: IndexNumbers,
): IndexPlan {
  const fields = new Numbering(numbers.fields, SEARCH_INDEXED_FIELDS_MAX);
  const columns = new Numbering(numbers.columns, SEARCH_INDEXED_FIELDS_MAX);
  const types = new Map<number, PlannedType>();
  for (const [name, type] of Object.entries(settings.types).toSorted(inOrder)) {
    const known = schema.nodeType(name);
    if (known === undefined || !type.searchable) continue;
    // In an order that no rename changes: the first field decides about the language.
    const inSchema = Object.entries(type.fields)
      .filter(([field]) => known.byName.has(field))
      .toSorted(([a], [b]) => (originOf(known, a) < originOf(known, b) ? -1 : 1));
    const texts = inSchema.flatMap(([field, own]) => textOf(known, field, own, type, fields));
    const facets = inSchema.flatMap(([field, own]) => facetOf(known, field, own, columns));
    const names = namesOf(known, fields);
    // What is read of a field is another value once it has got another type.
    const retypes = inSchema.flatMap(([field]) => retypesOf(known, field));
    const digest = digestOf([
      texts.map(byOrigin),
      facets.map(byName),
      names.map(byOrigin),
      ...(retypes.length === 0 ? [] : [retypes]),
    ]);
    const vectors = inSchema.flatMap(([field, own]) => vectorOf(known, field, own));
    const { weight = 1 } = type;
    const needs = name === FILE_TYPE ? { needs: SEARCHED_FILE_FIELD } : {};
    types.set(known.id, {
      name,
      origin: known.origin,
      id: known.id,
      texts,
      facets,
      names,
      digest,
      vectors,
      weight,
      ...needs,
    });
  }
  return { numbers: { fields: fields.names, columns: columns.names }, types };
}

/** Without the name, which may change while the words stay as they are. */
function byOrigin<T extends { readonly name: string; readonly origin: string }>({
  origin,
  ...planned
}: T): Omit<T, 'origin'> {
  return { ...planned, name: origin };
}

/** Nodes of several types share a column by its name. */
function byName({ name, column }: PlannedFacet): Omit<PlannedFacet, 'origin'> {
  return { name, column };
}

function retypesOf(type: NodeType, name: string): (readonly [string, ...string[]])[] {
  const { retyped } = type.byName.get(name) ?? {};
  return retyped === undefined ? [] : [[originOf(type, name), ...retyped.map(({ by }) => by)]];
}

function originOf(type: NodeType, field: string): string {
  return type.byName.get(field)?.origin ?? field;
}

function textOf(
  type: NodeType,
  name: string,
  { text }: FieldSettings,
  { language }: TypeSettings,
  numbering: Numbering,
): PlannedText[] {
  if (text === undefined) return [];
  const origin = originOf(type, name);
  const field = numbering.of(`${type.origin}\n${origin}`);
  if (field === undefined) return [];
  return [{ name, origin, field, boost: text.boost, language: text.language ?? language }];
}

/** A label that is the key is one name. */
function namesOf(type: NodeType, numbering: Numbering): PlannedName[] {
  const { key = 'Id', label } = type;
  const isOther = label !== undefined && label !== key && isText(kindOf(type, label));
  return [key, ...(isOther ? [label] : [])].flatMap((name, i) => {
    const origin = originOf(type, name);
    const field = numbering.of(`${type.origin}\n${origin}`);
    return field === undefined ? [] : [{ name, origin, field, isKey: i === 0 }];
  });
}

function kindOf(type: NodeType, field: string): string {
  return type.byName.get(field)?.type ?? '';
}

function vectorOf(type: NodeType, name: string, { vector }: FieldSettings): PlannedVector[] {
  if (vector === undefined) return [];
  const { model, chunk } = vector;
  const origin = originOf(type, name);
  return [{ name, origin, model: must(model, 'the model of a stored setting'), chunk }];
}

function facetOf(
  type: NodeType,
  name: string,
  { facet }: FieldSettings,
  numbering: Numbering,
): readonly PlannedFacet[] {
  const column = facet === true ? numbering.of(name) : undefined;
  return column === undefined ? [] : [{ name, origin: originOf(type, name), column }];
}

class Numbering {
  readonly names: string[];
  readonly #numbers: Map<string, number>;
  readonly #max: number;

  constructor(names: readonly string[], max: number) {
    this.names = [...names];
    this.#numbers = new Map(names.map((name, number) => [name, number]));
    this.#max = max;
  }

  /** Undefined when there is no room for another one. */
  of(name: string): number | undefined {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.names.length;
    if (number >= this.#max) return undefined;
    this.names.push(name);
    this.#numbers.set(name, number);
    return number;
  }
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}

function inOrder([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
