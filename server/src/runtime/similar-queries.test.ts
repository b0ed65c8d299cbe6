import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { settingOperation } from '#access/settings.ts';
import { ENDPOINT_REQUESTS_MAX } from '#base/endpoint-limits.ts';
import { Problem } from '#base/problem.ts';
import { vectorText } from '#search/embeddings/embedding-record.ts';
import { LiveSearcher } from '#search/service/live-searcher.ts';
import { SEARCH_SETTING } from '#search/settings/search-settings.ts';
import type { EmbedQuery } from './model-calls.ts';
import { openTestEndpoints, USER } from './testing/test-endpoints.ts';
import type { TestEndpoints } from './testing/test-endpoints.ts';

/** Points on a quarter of a circle, `east` to `north`. */
const POINTS = [
  ['east', 0],
  ['east-north', 20],
  ['middle', 45],
  ['north-east', 70],
  ['north', 90],
] as const;
const at = (degrees: number): number[] => {
  const radians = (degrees * Math.PI) / 180;
  return [Math.cos(radians), Math.sin(radians)];
};

let endpoints: TestEndpoints;
/** What the main thread was asked for by each query. */
let asked: unknown[] = [];
/** What it answers: a text is a number of degrees. */
const DEGREES: EmbedQuery = async (request) => {
  asked.push(request);
  return { compass: vectorText(Float32Array.from(at(Number(Object(request).query)))) };
};
let embedQuery = DEGREES;

beforeAll(async () => {
  endpoints = await openTestEndpoints(1, false, {
    embedQuery: (request, signal) => embedQuery(request, signal),
  });
  const { graph, service } = endpoints;
  const fields = { At: 'Float[]', Place: 'String' } as const;
  await graph.addSchema({ nodes: [{ type: 'Point', key: 'Name', fields }] });
  const settings = {
    searchable: true,
    language: '--',
    fields: { At: { vector: { model: 'compass' } } },
  };
  await graph.writer.commit({
    system: true,
    operations: [
      settingOperation(SEARCH_SETTING, { types: { Point: settings } }),
      ...POINTS.map(([key, degrees]) => ({
        op: 'addOrUpdate' as const,
        type: 'Point',
        key,
        fields: { At: at(degrees), Place: key },
      })),
    ],
  });
  graph.reader.refresh();
  service.receiveSearch(new LiveSearcher(graph.reader).snapshot());
});
afterAll(() => endpoints[Symbol.asyncDispose]());
beforeEach(() => {
  asked = [];
  embedQuery = DEGREES;
});

let count = 0;
async function evaluate(body: string): Promise<unknown> {
  const name = `similar/${++count}`;
  await endpoints.define(name, '{ q, graph, search, searchAsUser }: Scope', body);
  return JSON.parse((await endpoints.run(name, { caller: USER })).body ?? 'null');
}
const keys = (query: string) =>
  evaluate(`return (await ${query}.nodes()).map((node) => 'Name' in node ? node.Name : '');`);

describe('startAtSimilarText', () => {
  it('finds by the vectors that the main thread gives', async () => {
    expect(await keys(`q().startAtSimilarText('80', 2)`)).toEqual(['north', 'north-east']);
    expect(asked).toEqual([{ query: '80', mode: 'vector' }]);
  });

  it('looks where it is told', async () => {
    const options = `'Point', { fields: ['At'], similarityMin: 0.9 }`;
    expect(await keys(`q().startAtSimilarText('0', 50, ${options})`)).toEqual([
      'east',
      'east-north',
    ]);
    expect(asked).toEqual([{ query: '0', mode: 'vector', types: ['Point'], fields: ['At'] }]);
  });

  it('stands in sets, before predicates, and in a query that is run twice', async () => {
    const start = (degrees: number) => `q().startAtSimilarText('${degrees}', 1)`;
    const set = `${start(0)}.union(${start(90)}.except(${start(45)}))`;
    expect(await keys(set)).toEqual(['east', 'north']);
    expect(
      await keys(`q().startAtSimilarText('90').where((node) => node.UID !== '').take(2)`),
    ).toEqual(['north', 'north-east']);
    const twice = await evaluate(`
      const query = ${start(45)};
      return [await query.count(), (await query.scored()).map(({ node, score }) => [node.Id, score.toFixed(3)])];`);
    expect(twice).toEqual([1, [['middle', '1.000']]]);
  });

  it('finds nothing without words', async () => {
    expect(await keys(`q().startAtSimilarText(' ')`)).toEqual([]);
    expect(asked).toEqual([]);
  });

  it('throws what there is against it, from where it was called', async () => {
    embedQuery = () => Promise.reject(new Problem('embeddings_not_configured', 'Nobody.'));
    const caught = await evaluate(`
      async function looking() { return q().startAtSimilarText('1').uids(); }
      try { return await looking(); } catch (error) {
        const { code, stack } = error as Problem;
        return { code, isTraced: String(stack).includes('similar/') };
      }`);
    expect(caught).toEqual({ code: 'embeddings_not_configured', isTraced: true });
  });

  it(`asks for at most ${ENDPOINT_REQUESTS_MAX} at a time`, async () => {
    const full = Promise.withResolvers<void>();
    let waiting = 0;
    embedQuery = async (request, signal) => {
      if (++waiting === ENDPOINT_REQUESTS_MAX) full.resolve();
      await full.promise;
      return DEGREES(request, signal);
    };
    const codes = await evaluate(`
      const all = await Promise.allSettled(Array.from({ length: ${ENDPOINT_REQUESTS_MAX + 1} }, (_, i) =>
        q().startAtSimilarText(String(i)).count()));
      return all.flatMap((one) => one.status === 'rejected' ? [(one.reason as Problem).code] : []);`);
    expect(codes).toEqual(['invalid_request']);
  });

  it('waits for nothing any more when its run is over', async () => {
    const ended = Promise.withResolvers<unknown>();
    embedQuery = (_request, signal) => {
      signal.addEventListener('abort', () => ended.resolve(signal.aborted));
      return ended.promise.then(() => Promise.reject(signal.reason));
    };
    expect(
      await evaluate(`void q().startAtSimilarText('1').uids().catch(() => 0); return 'over';`),
    ).toBe('over');
    expect(await ended.promise).toBe(true);
    // What went wrong on the main thread would be told by now.
    await evaluate('return 1;');
    expect(endpoints.log.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('startAtSimilar and similar', () => {
  it('find without asking anybody', async () => {
    const east = `await graph.get('Point', 'east')`;
    expect(await keys(`q().startAtSimilar(${east}, 2)`)).toEqual(['east-north', 'middle']);
    const both = `[${east}, (await graph.get('Point', 'north')).UID]`;
    const found = (await keys(`q().startAtSimilar(${both}, 2, ['Point'])`)) as string[];
    expect(found.toSorted()).toEqual(['east-north', 'north-east']);
    expect(await keys(`q().startAt('Point', 'north').similar(1)`)).toEqual(['north-east']);
    expect(await keys(`q().startAt('Author').similar()`)).toEqual([]);
    expect(asked).toEqual([]);
  });

  it('are typed', async () => {
    const { diagnostics } = await endpoints.service.create(USER, {
      name: 'similar/typed',
      code: `export default async ({ q }: Scope) => {
        const [one] = await q().startAt('Author').similar(5, 'Point').nodes();
        one?.Place?.length;
        q().startAtSimilarText('x', 1, 'Pointt');
        q().startAtSimilarText('x', 1, 'Point', { fields: ['Att'] });
        q().startAtSimilar(1);
      };`,
    });
    expect(diagnostics.map(({ line }) => line)).toEqual([4, 5, 6]);
  });
});

describe('search by meaning', () => {
  const found = (request: string) =>
    evaluate(`return (await search(${request})).hits.map(({ node }) => node.Id);`);

  it('has the vectors of its query fetched', async () => {
    await found(`{ query: '80', mode: 'vector', types: ['Point'], take: 1 } as SearchRequest`);
    expect(asked).toEqual([{ query: '80', mode: 'vector', types: ['Point'] }]);
  });

  it('has none fetched that it does not need', async () => {
    const vector = `vector: [0, 1]`;
    expect(
      await found(`{ query: 'x', mode: 'vector', ${vector}, take: 1 } as SearchRequest`),
    ).toEqual(['north']);
    expect(await found(`{ mode: 'vector', ${vector}, take: 1 } as SearchRequest`)).toEqual([
      'north',
    ]);
    await found(`{ query: 'x' }`);
    expect(asked).toEqual([]);
  });
});
