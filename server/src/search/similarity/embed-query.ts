import type { GraphReader } from '#graph/reader.ts';
import { vectorText } from '../embeddings/embedding-record.ts';
import type { TextVectors } from '../embeddings/embed-texts.ts';
import { readSearchRequest } from '../request/read-request.ts';
import type { Searcher } from '../service/searcher.ts';

export interface QueryEmbeddingParts {
  readonly reader: GraphReader;
  readonly searcher: Pick<Searcher, 'modelsFor'>;
  readonly textVectors: TextVectors;
}

/**
 * The vectors of a request's text by each model in its scope, in base64: what `queryVectors` of a search and `startAtVectors` of a
 * query take. `value` came from endpoint code. Rejects with `invalid_request`, `index_opening`, and as `TextVectors`.
 */
export async function embedQuery(
  { reader, searcher, textVectors }: QueryEmbeddingParts,
  value: unknown,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const { query } = readSearchRequest(value);
  reader.refresh();
  const models = searcher.modelsFor(value);
  const vectors = await Promise.all(
    models.map(async (model): Promise<[string, string]> => {
      return [model, vectorText(await textVectors.of(query, model, signal))];
    }),
  );
  return Object.fromEntries(vectors);
}
