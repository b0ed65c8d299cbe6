import { ask } from './channel.ts';
import type { Operation } from './channel.ts';
import { stringify } from './primordials.ts';

/** As much as is looked at here of `SearchRequest` of `@trellis/endpoint`. */
interface Request {
  readonly query?: unknown;
  readonly mode?: unknown;
  readonly vector?: unknown;
  readonly types?: unknown;
  readonly fields?: unknown;
}

/**
 * What a text means, by model: base64 of its vector for each that has made vectors of these types
 * and fields.
 */
export function embedQuery(call: number, request: Request): Promise<unknown> {
  const { query, mode, types, fields } = request;
  return ask(call, 'embedQuery', stringify({ query, mode, types, fields }));
}

/**
 * A search by meaning needs the vector of its text, which the provider of embeddings gives, before
 * it can be made.
 */
export async function searchFor(
  call: number,
  operation: Extract<Operation, 'search' | 'searchAsUser'>,
  request: unknown,
): Promise<unknown> {
  if (!needsVectors(request)) return ask(call, operation, stringify(request));
  const queryVectors = await embedQuery(call, request);
  return ask(call, operation, stringify({ ...request, queryVectors }));
}

function needsVectors(request: unknown): request is Request {
  const { mode, query, vector } = Object(request) as Request;
  const isByMeaning = mode === 'vector' || mode === 'hybrid';
  return isByMeaning && typeof query === 'string' && query.trim() !== '' && vector === undefined;
}

export interface SimilarityOptions {
  readonly fields?: unknown;
  readonly similarityMin?: unknown;
}

/** The members of a step that looks for similar nodes. */
export function similarity(
  count: unknown,
  types: unknown,
  { fields, similarityMin }: SimilarityOptions = {},
) {
  return {
    count: count ?? undefined,
    types: typeof types === 'string' ? [types] : (types ?? undefined),
    fields,
    similarityMin,
  };
}
