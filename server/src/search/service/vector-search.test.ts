import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SEARCH_VECTOR_CANDIDATES } from '#base/search-limits.ts';
import { must } from '#base/assert.ts';
import { scale, seed } from '../../../../test/support/scale.ts';
import type { SearchHit } from './present-hit.ts';
import { ExhaustiveFusion } from './testing/exhaustive-fusion.ts';
import {
  NOW,
  sceneNode,
  VectorScene,
  vectorRequest,
  withheld,
  type SceneNode,
  type VectorRequest,
} from './testing/vector-scene.ts';

const SOAK_TIMEOUT_MS = 600_000;

test(
  'hits, scores, pages and counts are those of a scorer that looks at every node',
  async () => {
    const take = fc.integer({ min: 1, max: 12 });
    const requests = fc.array(fc.tuple(vectorRequest, take), { minLength: 20, maxLength: 20 });
    const nodes = fc.array(sceneNode, { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(nodes, withheld, requests, async (all, fields, asked) => {
        await using scene = await VectorScene.open(all, fields);
        for (const [one, size] of asked) compare(scene, one, size);
      }),
      { seed: seed(), numRuns: scale({ sample: 40, soak: 500 }) },
    );
  },
  SOAK_TIMEOUT_MS,
);

describe('more nodes than are found by their vectors', () => {
  const count = 6 * SEARCH_VECTOR_CANDIDATES;
  let scene: VectorScene;
  beforeAll(async () => {
    scene = await VectorScene.open(
      Array.from({ length: count }, (_, i) => ({
        type: 'Note',
        // Half of them have the word; in the nearest it counts for little, as there are many
        // others.
        fields: {
          Title: `${'sea '.repeat(i % 2)} ${'tide '.repeat(((i * 7) % 11) + (i < 300 ? 9 : 0))}`,
          Far: [Math.cos(i / count), Math.sin(i / count)],
        },
        timestamp: NOW - i,
        isHidden: false,
      })),
    );
  });
  afterAll(() => scene[Symbol.asyncDispose]());
  const find = (more: object) =>
    scene.searcher.search({ query: 'sea', vector: [1, 0], ...more }, scene.visibility);

  test('by vector: the nearest', () => {
    const { hits, total } = find({ mode: 'vector', take: 1_000 });
    expect(total).toBe(SEARCH_VECTOR_CANDIDATES);
    expect(hits.map((hit) => scene.idOf(hit))).toEqual(scene.ids.slice(0, total));
    const restricted = find({ mode: 'vector', similarityMin: 0.99, take: 1_000 });
    const near = scene.nodes.filter((_, i) => Math.cos(i / count) >= 0.99);
    expect(restricted.total).toBe(near.length);
  });

  test.each([
    { ranking: 'weighted' },
    { ranking: 'weighted', weight: 0 },
    { ranking: 'weighted', weight: 0.95 },
    { ranking: 'rrf' },
    { ranking: 'rrf', weight: 0 },
    { ranking: 'rrf', weight: 1 },
    { ranking: 'rrf', weight: 0.95 },
    { sort: 'oldest' },
  ])('hybrid with %j: pages go on from each other', (more) => {
    const request = { mode: 'hybrid', ...more };
    const all = find({ ...request, take: 1_000 });
    // Every second one of the others has the word.
    expect(all.total).toBe(SEARCH_VECTOR_CANDIDATES + (count - SEARCH_VECTOR_CANDIDATES) / 2);
    expect(all.hits).toHaveLength(all.total);
    for (const take of [41, 130]) {
      const pages: SearchHit[] = [];
      for (let skip = 0; skip < all.total; skip += take) {
        pages.push(...find({ ...request, skip, take }).hits);
      }
      expect(pages).toEqual(all.hits);
    }
  });
});

test('a node that has all the words, where few have, may come after others on any page', async () => {
  const title = (Title: string, Text: string, more: object = {}): SceneNode => ({
    type: 'Note',
    fields: { Title, Text, ...more },
    timestamp: NOW,
    isHidden: false,
  });
  const rest = 'lamp '.repeat(40);
  await using scene = await VectorScene.open([
    title('lamp', `${rest} sea ${rest} ship ${rest} tide`),
    title('sea ship', 'sea ship'),
    title('sea', 'ship'),
    title('lamp', 'lamp', { Near: [1, 0, 0] }),
  ]);
  const given = { query: 'sea ship tide', vector: [1, 0, 0], mode: 'hybrid', weight: 0.9 };
  const inOrder = (request: object): unknown[] =>
    scene.searcher
      .search({ ...given, ...request }, undefined)
      .hits.map((hit) => scene.ids.indexOf(scene.idOf(hit)));
  const all = inOrder({ take: 4 });
  expect(inOrder({ mode: 'text' })).toEqual([0, 1, 2]);
  expect(all).toEqual([1, 2, 0, 3]);
  expect([0, 1, 2, 3].flatMap((skip) => inOrder({ skip, take: 1 }))).toEqual(all);
});

test.each(['weighted', 'rrf'])(
  'what the query names comes before what is near: %s',
  async (ranking) => {
    const near = (Near: readonly number[]): SceneNode => ({
      type: 'Note',
      fields: { Title: 'sea', Near },
      timestamp: NOW,
      isHidden: false,
    });
    // The key of the third one is the query; it is near, or not at all.
    for (const third of [near([0, 0, 1]), { ...near([1]), fields: { Title: 'ship' } }]) {
      await using scene = await VectorScene.open([near([1, 0, 0]), near([1, 1, 0]), third]);
      const find = (more: object) =>
        scene.searcher
          .search(
            { query: 'N2', vector: [1, 0, 0], mode: 'hybrid', weight: 0.1, ranking, ...more },
            undefined,
          )
          .hits.map((hit) => scene.ids.indexOf(scene.idOf(hit)));
      expect(find({})).toEqual([2, 0, 1]);
      expect([0, 1, 2].flatMap((skip) => find({ skip, take: 1 }))).toEqual([2, 0, 1]);
    }
  },
);

function compare(scene: VectorScene, { targets, ...asked }: VectorRequest, take: number): void {
  const uids = targets?.flatMap((i) => scene.uid(scene.ids[i]) ?? []);
  const facets = ['Type', 'Tag', { time: 'month' }];
  const given = { ...asked, ...(uids === undefined ? {} : { targetUids: uids }), facets };
  const find = (more: object) =>
    scene.searcher.search({ ...given, explain: true, ...more }, scene.visibility);
  const exhaustive = new ExhaustiveFusion(scene);
  if (!exhaustive.hasVectors(asked)) {
    expect(() => find({})).toThrow(/needs a field with vectors/);
    return;
  }
  if (exhaustive.isUnfit(asked)) {
    expect(() => find({})).toThrow(/dimensions, and what is searched has/);
    return;
  }
  const expected = exhaustive.hits(given);
  const pages: SearchHit[] = [];
  for (let skip = 0; skip === 0 || skip < expected.length; skip += take) {
    const page = find({ skip, take });
    expect(page.total).toBe(expected.length);
    expect(page.facets).toEqual(exhaustive.counts(expected));
    pages.push(...page.hits);
  }
  const about = JSON.stringify(given);
  const found = pages.map((hit) => ({ id: scene.idOf(hit), from: hit.from }));
  expect(found, about).toEqual(expected.map(({ id, from }) => ({ id, from })));
  for (const [i, hit] of pages.entries()) {
    expect(hit.score, about).toBeCloseTo(must(expected[i], 'as many').score, 8);
    checkExplanation(hit, asked);
  }
}

/** What it says adds up. */
function checkExplanation({ explain, score, from }: SearchHit, asked: VectorRequest): void {
  const { text, vector, parts, decay } = must(explain, 'what was asked for');
  expect(explain?.score).toBe(score);
  expect((text?.score ?? 0) + (vector?.score ?? 0)).toBe(score);
  expect([text !== undefined, vector !== undefined]).toEqual([from !== 'vector', from !== 'text']);
  expect(decay !== undefined).toBe(asked.timeDecay !== undefined);
  if (text?.best === undefined || parts.length === 0) return;
  const words = parts.reduce((sum, part) => sum + part.score, 0);
  const share = (asked.weight ?? 0.5) * (words / text.best) * (decay ?? 1);
  expect(text.score).toBeCloseTo(share, 8);
}
