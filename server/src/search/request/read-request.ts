import {
  SEARCH_FACET_VALUES_DEFAULT,
  SEARCH_FACET_VALUES_MAX,
  SEARCH_FACETS_MAX,
  SEARCH_FILTERS_MAX,
  SEARCH_HOPS_MAX,
  SEARCH_QUERY_CHARACTERS_MAX,
  SEARCH_SKIP_MAX,
  SEARCH_TAKE_DEFAULT,
  SEARCH_TAKE_MAX,
  SEARCH_TARGETS_MAX,
  SEARCH_TEXT_WEIGHT,
  SEARCH_VECTOR_FIELDS_MAX,
  VECTOR_DIMENSIONS_MAX,
} from '#base/search-limits.ts';
import { didYouMean } from '#graph/names.ts';
import { parseTime } from '#graph/time.ts';
import { isObject } from '#base/assert.ts';
import { asList, invalid, Members } from './members.ts';
import { ANALYSIS_LANGUAGES } from '../analysis/languages.ts';
import { vectorOf } from '../embeddings/embedding-record.ts';

/** A search as endpoint code asks for it: see `search.ts` of `@trellis/endpoint`. */
export interface SearchRequest {
  readonly query: string;
  /** Undefined: all that can be searched. */
  readonly types: readonly string[] | undefined;
  readonly fields: readonly string[] | undefined;
  readonly facets: readonly FacetRequest[];
  readonly filters: readonly FieldFilter[];
  readonly relatedTo: readonly RelatedFilter[];
  readonly targetUids: readonly NodeReference[] | undefined;
  readonly language: string | undefined;
  readonly fuzziness: 0 | 1 | 2 | 'auto';
  readonly mode: SearchMode;
  /** The share of the words in a hybrid score, 0 to 1. */
  readonly weight: number;
  readonly ranking: SearchRanking;
  /** Cosine, 0 to 1: the least for a hit by vector. */
  readonly similarityMin: number;
  /** The vector to compare with all fields of as many dimensions. */
  readonly vector: readonly number[] | undefined;
  /** Vectors of the query's words, by model. */
  readonly queryVectors: ReadonlyMap<string, Float32Array>;
  readonly sort: 'relevance' | 'recent' | 'oldest';
  readonly halfLifeMs: number | undefined;
  readonly skip: number;
  readonly take: number;
  readonly explain: boolean;
}

const SEARCH_MODES = ['text', 'vector', 'hybrid'] as const;
type SearchMode = (typeof SEARCH_MODES)[number];

const SEARCH_RANKINGS = ['weighted', 'rrf'] as const;
type SearchRanking = (typeof SEARCH_RANKINGS)[number];

interface FieldFilter {
  readonly field: string;
  readonly op: string;
  readonly value: unknown;
}

export interface RelatedFilter {
  readonly node: NodeReference;
  readonly edge: string | undefined;
}

type NodeReference =
  | { readonly uid: string; readonly type?: undefined; readonly key?: undefined }
  | { readonly type: string; readonly key: string; readonly uid?: undefined };

export type FacetRequest = FieldFacet | RelatedFacet | TimeFacet;

export interface FieldFacet {
  readonly kind: 'field';
  readonly name: string;
  readonly field: string;
  readonly take: number;
}

export interface RelatedFacet {
  readonly kind: 'related';
  readonly name: string;
  readonly edges: readonly string[];
  readonly direction: 'out' | 'in';
  readonly take: number;
}

export interface TimeFacet {
  readonly kind: 'time';
  readonly name: string;
  readonly unit: TimeUnit;
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
}

const TIME_UNITS = ['year', 'month', 'week', 'day', 'hour'] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];

const DAY_MS = 86_400_000;
const FUZZINESS = [0, 1, 2, 'auto'] as const;
const SORTS = ['relevance', 'recent', 'oldest'] as const;

/**
 * Checks a search from endpoint code. Throws `invalid_request` with the path of the first fault in
 * `details.fields`.
 */
export function readSearchRequest(value: unknown): SearchRequest {
  const members = new Members(typeof value === 'string' ? { query: value } : value, 'request');
  const decay = members.optional('timeDecay', readDecay);
  const request: SearchRequest = {
    query: members.optional('query', readQuery) ?? '',
    types: members.optional('types', readNames),
    fields: members.optional('fields', readNames),
    facets: members.optional('facets', readFacets) ?? [],
    filters: members.optional('filters', readFilters) ?? [],
    relatedTo: members.optional('relatedTo', readRelated) ?? [],
    targetUids: members.optional('targetUids', readTargets),
    language: members.optional('language', readLanguage),
    fuzziness: members.oneOf('fuzziness', FUZZINESS) ?? 'auto',
    mode: members.oneOf('mode', SEARCH_MODES) ?? 'text',
    weight: members.share('weight') ?? SEARCH_TEXT_WEIGHT,
    ranking: members.oneOf('ranking', SEARCH_RANKINGS) ?? 'weighted',
    similarityMin: members.share('similarityMin') ?? 0,
    vector: members.optional('vector', readVector),
    queryVectors: members.optional('queryVectors', readQueryVectors) ?? new Map(),
    sort: members.oneOf('sort', SORTS) ?? 'relevance',
    halfLifeMs: decay,
    skip: members.wholeNumber('skip', 0, SEARCH_SKIP_MAX) ?? 0,
    take: members.wholeNumber('take', 0, SEARCH_TAKE_MAX) ?? SEARCH_TAKE_DEFAULT,
    explain: members.boolean('explain') ?? false,
  };
  members.refuseOthers();
  return request;
}

function readQuery(value: unknown, path: string): string {
  if (typeof value !== 'string') throw invalid(path, 'must be a text');
  if (value.length > SEARCH_QUERY_CHARACTERS_MAX) {
    throw invalid(path, `must have at most ${SEARCH_QUERY_CHARACTERS_MAX} characters`);
  }
  return value;
}

function readLanguage(value: unknown, path: string): string {
  if (typeof value === 'string' && ANALYSIS_LANGUAGES.includes(value)) return value;
  throw invalid(path, `must be one of ${ANALYSIS_LANGUAGES.join(', ')}`);
}

function readNames(value: unknown, path: string): readonly string[] {
  return asList(value, path, SEARCH_FILTERS_MAX, readText);
}

function readTargets(value: unknown, path: string): readonly NodeReference[] {
  return asList(value, path, SEARCH_TARGETS_MAX, readReference);
}

function readText(value: unknown, path: string): string {
  if (typeof value === 'string') return value;
  throw invalid(path, 'must be a text');
}

function readDecay(value: unknown, path: string): number {
  const members = new Members(typeof value === 'number' ? { halfLifeDays: value } : value, path);
  const days = members.optional('halfLifeDays', (given, at) => {
    if (typeof given === 'number' && given > 0 && given < Infinity) return given;
    throw invalid(at, 'must be a number above 0');
  });
  members.refuseOthers();
  if (days === undefined) throw invalid(`${path}.halfLifeDays`, 'is missing');
  return days * DAY_MS;
}

/**
 * A list of conditions, or an object of field names and values; a list of values means any of them.
 */
function readFilters(value: unknown, path: string): readonly FieldFilter[] {
  if (Array.isArray(value)) {
    return asList(value, path, SEARCH_FILTERS_MAX, (one, at) => {
      const members = new Members(one, at);
      const field = members.optional('field', readText);
      if (field === undefined) throw invalid(`${at}.field`, 'is missing');
      const op = members.optional('op', readText) ?? '=';
      const filter = { field, op, value: members.take('value') };
      members.refuseOthers();
      return filter;
    });
  }
  if (!isObject(value)) throw invalid(path, 'must be a list of filters, or values by field');
  return Object.entries(value).map(([field, one]) => ({
    field,
    op: Array.isArray(one) ? 'in' : '=',
    value: one,
  }));
}

function readRelated(value: unknown, path: string): readonly RelatedFilter[] {
  const list = Array.isArray(value) ? value : [value];
  return asList(list, path, SEARCH_FILTERS_MAX, (one, at) => {
    if (!isObject(one) || one['node'] === undefined) {
      return { node: readReference(one, at), edge: undefined };
    }
    const members = new Members(one, at);
    const node = readReference(members.take('node'), `${at}.node`);
    const edge = members.optional('edge', readText);
    members.refuseOthers();
    return { node, edge };
  });
}

function readReference(value: unknown, path: string): NodeReference {
  if (typeof value === 'string') return { uid: value };
  const { UID, uid = UID, type, key } = isObject(value) ? value : {};
  if (typeof uid === 'string') return { uid };
  if (typeof type === 'string' && typeof key === 'string') return { type, key };
  throw invalid(path, 'must name a node by its UID, or by its type and key');
}

function readFacets(value: unknown, path: string): readonly FacetRequest[] {
  const facets = asList(value, path, SEARCH_FACETS_MAX, readFacet);
  const names = new Set<string>();
  for (const [i, { name }] of facets.entries()) {
    if (names.has(name)) throw invalid(`${path}[${i}]`, `is the second one of the name "${name}"`);
    names.add(name);
  }
  return facets;
}

function readFacet(value: unknown, path: string): FacetRequest {
  if (typeof value === 'string') {
    return { kind: 'field', name: value, field: value, take: SEARCH_FACET_VALUES_DEFAULT };
  }
  const members = new Members(value, path);
  const name = members.optional('name', readText);
  const facet = facetOf(members, name, path);
  members.refuseOthers();
  return facet;
}

function facetOf(members: Members, name: string | undefined, path: string): FacetRequest {
  if (members.has('time')) {
    const unit = members.oneOf('time', TIME_UNITS) ?? 'day';
    const fromMs = members.optional('from', readTime);
    const toMs = members.optional('to', readTime);
    return { kind: 'time', name: name ?? 'time', unit, fromMs, toMs };
  }
  const take =
    members.wholeNumber('take', 1, SEARCH_FACET_VALUES_MAX) ?? SEARCH_FACET_VALUES_DEFAULT;
  if (members.has('related')) {
    const related = members.take('related');
    const edges = asList(
      Array.isArray(related) ? related : [related],
      `${path}.related`,
      SEARCH_HOPS_MAX,
      readText,
    );
    if (edges.length === 0) throw invalid(`${path}.related`, 'must name an edge type');
    const direction = members.oneOf('direction', ['out', 'in'] as const) ?? 'out';
    return { kind: 'related', name: name ?? 'related', edges, direction, take };
  }
  const field = members.optional('field', readText);
  if (field === undefined) throw invalid(path, 'must have a member "field", "related" or "time"');
  return { kind: 'field', name: name ?? field, field, take };
}

function readTime(value: unknown, path: string): number {
  const ms = typeof value === 'string' || typeof value === 'number' ? parseTime(value) : undefined;
  if (ms !== undefined) return ms;
  throw invalid(path, 'must be a time in ISO 8601, or milliseconds since 1970');
}

/** The problem for an unknown name. */
export function unknownName(path: string, name: string, known: Iterable<string>): Error {
  const { hint } = didYouMean(name, known);
  return invalid(path, `"${name}" is not known here`, hint);
}

/** Base64 of so many 32-bit floats. */
const BASE64_CHARACTERS_MAX = Math.ceil((VECTOR_DIMENSIONS_MAX * 4) / 3) * 4;

function readVector(value: unknown, path: string): readonly number[] {
  const isOfNumbers = Array.isArray(value) && value.every((one) => typeof one === 'number');
  if (!isOfNumbers) throw invalid(path, 'must be a list of numbers');
  checkVector(value, path);
  return value;
}

/** By model: base64 of little-endian 32-bit floats. */
function readQueryVectors(value: unknown, path: string): ReadonlyMap<string, Float32Array> {
  const entries = isObject(value) ? Object.entries(value) : [];
  if (!isObject(value) || entries.length > SEARCH_VECTOR_FIELDS_MAX) {
    throw invalid(path, `must be an object of at most ${SEARCH_VECTOR_FIELDS_MAX} vectors`);
  }
  return new Map(
    entries.map(([model, text]) => {
      const at = `${path}.${model}`;
      if (typeof text !== 'string' || text.length > BASE64_CHARACTERS_MAX) {
        throw invalid(at, 'must be 32-bit floats in base64');
      }
      const vector = vectorOf(text);
      checkVector(vector, at);
      return [model, vector];
    }),
  );
}

function checkVector(vector: Float32Array | readonly number[], path: string): void {
  const { length } = vector;
  if (length === 0 || length > VECTOR_DIMENSIONS_MAX) {
    throw invalid(path, `must have 1 to ${VECTOR_DIMENSIONS_MAX} dimensions`);
  }
  if (!vector.every(Number.isFinite) || vector.every((one) => one === 0)) {
    throw invalid(path, 'must be finite numbers that are not all zero');
  }
}
