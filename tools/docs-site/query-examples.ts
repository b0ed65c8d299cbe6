import type { NodeBase } from '../../endpoint/src/nodes.ts';
import type {
  EdgeOptions,
  ExplainedStep,
  PathOptions,
  Query,
  QueryStart,
  SimilarityOptions,
} from '../../endpoint/src/query.ts';
import type { Example, ExamplesOf } from './example.ts';

/** An endpoint that answers the keys of what a query finds. */
function found(query: string, ...keys: string[]): Example {
  const code = `export default async ({ q }: Scope) => {
  const found = await ${query}.nodes();
  return found.map(({ Id }) => Id);
};`;
  return { code, answer: keys };
}

/** An endpoint that answers what an end of a query gives. */
function ended(query: string, answer?: unknown): Example {
  const code = `export default ({ q }: Scope) => ${query};`;
  return answer === undefined ? { code } : { code, answer };
}

/** An endpoint that answers the keys along the shortest path. */
function path(query: string, ...keys: string[]): Example {
  const code = `export default async ({ q }: Scope) => {
  const path = await ${query};
  return path?.nodes.map(({ Id }) => Id) ?? [];
};`;
  return { code, answer: keys };
}

/** An endpoint that answers one property of each step. */
function step(property: keyof ExplainedStep, answer: unknown): Example {
  const code = `export default async ({ q }: Scope) => {
  const { steps } = await q().startWhere('City', 'People', '>', 1_000_000).take(5).explain();
  return steps.map(({ ${property} }) => ${property});
};`;
  return answer === undefined ? { code } : { code, answer };
}

export const QUERY_START_EXAMPLES: ExamplesOf<QueryStart> = {
  startAt: found(`q().startAt('City', ['Linz', 'Brno'])`, 'Linz', 'Brno'),
  startAtUids: found(
    `q().startAtUids([{ type: 'City', key: 'Linz' }, { type: 'Word', key: 'dog' }])`,
    'Linz',
    'dog',
  ),
  startWhere: found(
    `q().startWhere('City', 'People', '>', 1_000_000).sortBy('People')`,
    'Prague',
    'Vienna',
  ),
  startNear: found(
    `q().startNear('City', 'Place', { lat: 48.2, lon: 16.4 }, 130).sortBy('People')`,
    'Brno',
    'Vienna',
  ),
  startSearch: found(`q().startSearch('Synset', 'Gloss', 'storms')`, 'n1'),
  startAtSimilarText: found(`q().startAtSimilarText('a boat in the storm', 1, 'Synset')`, 'n1'),
  startAtSimilar: found(`q().startAtSimilar({ type: 'Synset', key: 'n1' }, 1, 'Synset')`, 'n2'),
  asUser: ended(`q().asUser().startAt('City').count()`, 5),
};

export const QUERY_EXAMPLES: ExamplesOf<Query<NodeBase>> = {
  out: found(
    `q().startAt('City', 'Vienna').out('City', 'Rail').sortBy('People')`,
    'Linz',
    'Graz',
    'Brno',
  ),
  in: found(`q().startAt('City', 'Prague').in('City', 'Rail').sortBy('People')`, 'Linz', 'Brno'),
  outMany: found(
    `q().startAt('City', 'Linz').outMany(2, ['City'], ['Rail']).sortBy('People')`,
    'Prague',
  ),
  where: found(
    `q().startAt('City').where('Country', '=', 'Austria').where(({ People = 0 }) => People % 2e6 === 0)`,
    'Vienna',
  ),
  whereTime: found(`q().startAt('City').whereTime('2022-06-01', null)`, 'Prague', 'Brno'),
  after: {
    code: `export default async ({ graph, q }: Scope) => {
  const brno = await graph.get('City', 'Brno');
  const older = await q().startAt('City').after(brno.Timestamp, brno).nodes();
  return older.map(({ Id }) => Id);
};`,
    answer: ['Linz', 'Vienna', 'Graz'],
  },
  isRelatedTo: found(
    `q().startAt('City').isRelatedTo({ type: 'City', key: 'Brno' }, 'Rail')`,
    'Prague',
    'Vienna',
  ),
  union: found(`q().startAt('City', 'Linz').union(q().startAt('City', 'Brno'))`, 'Linz', 'Brno'),
  except: found(
    `q().startAt('City').except(q().startWhere('City', 'Country', '=', 'Austria'))`,
    'Prague',
    'Brno',
  ),
  intersect: found(
    `q().startAt('City', 'Prague').in('City').intersect(q().startWhere('City', 'Country', '=', 'Austria'))`,
    'Linz',
  ),
  distinct: found(`q().startAt('City', ['Linz', 'Brno']).out('City').distinct()`, 'Prague'),
  similar: found(`q().startAt('Synset', 'n1').similar(1, 'Synset')`, 'n2'),
  sortBy: found(`q().startAt('City').sortBy('People', 'desc').take(3)`, 'Vienna', 'Prague', 'Brno'),
  sortByTimestamp: found(`q().startAt('City').sortByTimestamp('asc').take(2)`, 'Graz', 'Vienna'),
  sortByConnectivity: found(`q().startAt('City').sortByConnectivity().take(1)`, 'Vienna'),
  skip: found(`q().startAt('City').skip(3)`, 'Vienna', 'Graz'),
  take: found(`q().startAt('City').take(2)`, 'Prague', 'Brno'),
  asUser: ended(`q().startAt('City').asUser().count()`, 5),
  nodes: {
    code: `export default async ({ q }: Scope) => {
  const [city] = await q().startAt('City', 'Linz').nodes(['Country']);
  return [city?.Country, city?.People];
};`,
    answer: ['Austria', null],
  },
  uids: ended(`q().startAt('City', 'Linz').uids()`),
  count: ended(`q().startAt('City').count()`, 5),
  scored: {
    code: `export default async ({ q }: Scope) => {
  const scored = await q().startSearch('Synset', 'Gloss', 'storms').scored();
  return scored.map(({ node, score }) => [node.Id, score > 0]);
};`,
    answer: [['n1', true]],
  },
  edges: {
    code: `export default async ({ q }: Scope) => {
  const edges = await q().startAt('City', 'Linz').edges('Rail');
  return edges.map(({ type, Minutes }) => [type, Minutes]);
};`,
    answer: [['Rail', 240]],
  },
  summary: ended(`q().startAt('City').summary()`, { City: 5 }),
  neighborsSummary: ended(`q().startAt('City', 'Vienna').neighborsSummary()`, { Rail: 3 }),
  groupBy: ended(`q().startAt('City').groupBy('Country')`, [
    { value: 'Austria', count: 3 },
    { value: 'Czechia', count: 2 },
  ]),
  explain: {
    code: `export default async ({ q }: Scope) => {
  const { steps } = await q().startAt('City', 'Vienna').out('City', 'Rail').explain();
  return steps.map(({ step, access }) => [step, access]);
};`,
    answer: [
      ['startAt', 'key'],
      ['out', 'edges'],
    ],
  },
  shortestPath: path(
    `q().startAt('City', 'Graz').shortestPath({ type: 'City', key: 'Linz' })`,
    'Graz',
    'Vienna',
    'Linz',
  ),
  shortestPaths: {
    code: `export default async ({ q }: Scope) => {
  const paths = await q().startAt('City', 'Vienna').shortestPaths({ type: 'City', key: 'Prague' });
  return paths.length;
};`,
    answer: 2,
  },
};

export const PATH_OPTIONS_EXAMPLES: ExamplesOf<PathOptions> = {
  maxHops: path(
    `q().startAt('City', 'Vienna').shortestPath({ type: 'City', key: 'Prague' }, { maxHops: 1 })`,
  ),
  edges: path(
    `q().startAt('City', 'Graz').shortestPath({ type: 'City', key: 'Vienna' }, { edges: ['Rail'] })`,
    'Graz',
    'Vienna',
  ),
  direction: path(
    `q().startAt('City', 'Graz').shortestPath({ type: 'City', key: 'Vienna' }, { direction: 'out' })`,
  ),
};

export const EDGE_OPTIONS_EXAMPLES: ExamplesOf<EdgeOptions> = {
  direction: {
    code: `export default async ({ q }: Scope) =>
  (await q().startAt('City', 'Prague').edges('Rail', { direction: 'in' })).length;`,
    answer: 2,
  },
  skip: {
    code: `export default async ({ q }: Scope) =>
  (await q().startAt('City', 'Vienna').edges('Rail', { skip: 2 })).length;`,
    answer: 1,
  },
  take: {
    code: `export default async ({ q }: Scope) =>
  (await q().startAt('City', 'Vienna').edges('Rail', { take: 2 })).length;`,
    answer: 2,
  },
};

export const SIMILARITY_OPTIONS_EXAMPLES: ExamplesOf<SimilarityOptions> = {
  fields: found(
    `q().startAtSimilarText('a boat in a storm', 1, 'Synset', { fields: ['Gloss'] })`,
    'n1',
  ),
  similarityMin: found(
    `q().startAtSimilarText('a boat in a storm', 9, 'Synset', { similarityMin: 0.99 })`,
    'n1',
  ),
};

export const EXPLAINED_STEP_EXAMPLES: ExamplesOf<ExplainedStep> = {
  step: step('step', ['startWhere', 'take']),
  access: step('access', undefined),
  index: step('index', undefined),
  rowsRead: step('rowsRead', undefined),
  rowsOut: step('rowsOut', [2, 2]),
  ms: step('ms', undefined),
};
