import type { Problem } from '#base/problem.ts';
import { invalid } from '../request/members.ts';
import { readSearchRequest } from '../request/read-request.ts';
import type { OpenedVectors } from './opened-snapshot.ts';
import type { PreparedSearch, SearchSources } from './prepared-search.ts';
import type { FieldOfVectors } from './scope.ts';
import { isComparable, type SoughtVector } from './vector-candidates.ts';

/** What a search by vectors compares. */
export interface SoughtVectors {
  readonly fields: readonly OpenedVectors[];
  readonly vectors: readonly SoughtVector[];
}

/**
 * The models whose vectors of the query's words a request has to bring with it, in `queryVectors`. Fields that the searcher may not
 * read count, too. A name that there is not has none: who searches is told by the search itself, as far as they may know.
 */
export function modelsFor({ snapshot }: Pick<SearchSources, 'snapshot'>, value: unknown): string[] {
  const request = readSearchRequest(value);
  const { mode, query, vector, types, fields } = request;
  if (mode === 'text' || vector !== undefined || query.trim() === '') return [];
  const planned = snapshot.types
    .filter((type) => types?.includes(type.name) !== false)
    .flatMap((type) => type.vectors.map((field) => ({ type, field })))
    .filter(({ field }) => fields?.includes(field.name) !== false);
  return modelsOf(planned);
}

/** Of the fields of text: nothing is known of what made the vectors that came with nodes. */
function modelsOf(planned: readonly FieldOfVectors[]): string[] {
  const ofText = planned.filter(({ field }) => field.chunk !== undefined);
  return [...new Set(ofText.map(({ field }) => field.model))];
}

/** Throws `invalid_request` where there is nothing to compare, or nothing to compare it with. */
export function soughtVectors(search: PreparedSearch): SoughtVectors {
  const { request, scope, hasQuery } = search;
  const { mode, vector, fields } = request;
  const planned = scope.vectors(fields);
  if (planned.length === 0) {
    if (scope.concealsVectors(fields)) return { fields: [], vectors: [] };
    throw invalid(
      'request.mode',
      `"${mode}" needs a field with vectors, and no field that is searched has any`,
      'Set vector for a field in the search settings, or search for words: mode "text".',
    );
  }
  if (vector === undefined && !hasQuery) {
    throw invalid('request.query', `is empty, and there is no vector for the mode "${mode}"`);
  }
  const vectors = vector === undefined ? vectorsOfModels(search, planned) : [{ vector }];
  return { fields: scope.opened(planned), vectors };
}

function vectorsOfModels(
  { request }: PreparedSearch,
  planned: readonly FieldOfVectors[],
): SoughtVector[] {
  const { queryVectors } = request;
  for (const model of modelsOf(planned)) {
    if (queryVectors.has(model)) continue;
    throw invalid('request.queryVectors', `has no vector of the model "${model}"`);
  }
  const vectors = [...queryVectors].map(([model, vector]) => ({ model, vector }));
  if (vectors.some(({ model }) => planned.some(({ field }) => field.model === model))) {
    return vectors;
  }
  throw invalid(
    'request.vector',
    'is missing: all vectors that are searched came with their nodes',
    'Give the vector that is looked for, made by what made theirs.',
  );
}

/**
 * To be asked when nothing is near. Throws `invalid_request` when one of the vectors can be compared with none of those that the
 * searcher sees: what only others see is as if it was not there, and neither are its dimensions told.
 */
export function checkDimensions(search: PreparedSearch, { fields, vectors }: SoughtVectors): void {
  const seen = fields.filter((one) => hasSeen(search, one));
  for (const sought of vectors) {
    const { model, vector } = sought;
    const ofModel = seen.filter(({ index }) => model === undefined || index.model === model);
    if (ofModel.length === 0 || ofModel.some((one) => isComparable(one, sought))) continue;
    throw unfit(model, vector.length, ofModel);
  }
}

function hasSeen({ context: { visibility } }: PreparedSearch, { type, index }: OpenedVectors) {
  const any = Float32Array.from({ length: index.dimensions }, (_, d) => (d === 0 ? 1 : 0));
  const accepts = (node: number): boolean => visibility?.canSee(node, type.name) !== false;
  return index.search(any, { count: 1, accepts }).length > 0;
}

function unfit(
  model: string | undefined,
  dimensions: number,
  fields: readonly OpenedVectors[],
): Problem {
  const known = [...new Set(fields.map(({ index }) => index.dimensions))].toSorted((a, b) => a - b);
  return invalid(
    model === undefined ? 'request.vector' : `request.queryVectors.${model}`,
    `has ${dimensions} dimensions, and what is searched has ${known.join(' or ')}`,
  );
}
