import type { SearchRequest } from '../../endpoint/src/search.ts';
import type { Example, ExamplesOf } from './example.ts';

/** An endpoint that answers the keys of the hits. */
function hits(request: string, ...keys: string[]): Example {
  const code = `export default async ({ search }: Scope) => {
  const { hits } = await search({ ${request} });
  return hits.map(({ node }) => node.Id);
};`;
  return { code, answer: keys };
}

const CITIES = `types: ['City']`;
const BY_MEANING = `query: 'a boat in a storm', types: ['Synset']`;

export const SEARCH_EXAMPLES: ExamplesOf<SearchRequest> = {
  query: hits(`query: 'boat -storm'`, 'n2'),
  types: hits(`query: 'dog', types: ['Word']`, 'dog'),
  fields: hits(`query: 'calm', fields: ['Gloss']`, 'n2'),
  facets: {
    code: `export default async ({ search }: Scope) => {
  const { facets } = await search({ types: ['City'], facets: ['Country'] });
  return facets.Country;
};`,
    answer: [
      { value: 'Austria', count: 3 },
      { value: 'Czechia', count: 2 },
    ],
  },
  filters: hits(
    `${CITIES}, filters: [{ field: 'People', op: '>', value: 1_000_000 }], sort: 'recent'`,
    'Prague',
    'Vienna',
  ),
  relatedTo: hits(
    `${CITIES}, relatedTo: { node: { type: 'City', key: 'Brno' }, edge: 'Rail' }, sort: 'recent'`,
    'Prague',
    'Vienna',
  ),
  targetUids: hits(`query: 'boat', targetUids: [{ type: 'Synset', key: 'n2' }]`, 'n2'),
  language: hits(`query: 'storms', language: 'en'`, 'n1'),
  fuzziness: hits(`query: 'stormm', fuzziness: 1`, 'n1'),
  mode: hits(`${BY_MEANING}, mode: 'vector', take: 1`, 'n1'),
  vector: {
    code: `export default async ({ ai, search }: Scope) => {
  const [vector = []] = await ai.embed(['a boat in a storm']);
  const { hits } = await search({ types: ['Synset'], mode: 'vector', vector, take: 1 });
  return hits.map(({ node }) => node.Id);
};`,
    answer: ['n1'],
  },
  weight: hits(`${BY_MEANING}, mode: 'hybrid', weight: 0.8, take: 1`, 'n1'),
  ranking: hits(`${BY_MEANING}, mode: 'hybrid', ranking: 'rrf', take: 1`, 'n1'),
  similarityMin: hits(`${BY_MEANING}, mode: 'vector', similarityMin: 0.99`, 'n1'),
  sort: hits(`${CITIES}, sort: 'oldest', take: 2`, 'Graz', 'Vienna'),
  timeDecay: hits(
    `${CITIES}, query: 'Austria', timeDecay: { halfLifeDays: 365 }`,
    'Linz',
    'Vienna',
    'Graz',
  ),
  skip: hits(`${CITIES}, sort: 'recent', skip: 3`, 'Vienna', 'Graz'),
  take: hits(`${CITIES}, sort: 'recent', take: 1`, 'Prague'),
  explain: {
    code: `export default async ({ search }: Scope) => {
  const { hits } = await search({ query: 'dog', types: ['Word'], explain: true });
  return hits[0]?.explain?.parts.map(({ field, term }) => [field, term]);
};`,
    answer: [['Lemma', 'dog']],
  },
};
