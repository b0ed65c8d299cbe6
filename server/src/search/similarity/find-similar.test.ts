import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { settingOperation } from '#access/settings.ts';
import { must } from '#base/assert.ts';
import type { QueryStep, Similarity } from '#graph/query/plan.ts';
import { runQuery } from '#graph/query/run.ts';
import type { Visibility } from '#graph/reader.ts';
import { openTestGraph, problemOf, type TestGraph } from '#graph/testing/test-graph.ts';
import { scale, seed } from '../../../../test/support/scale.ts';
import { vectorText } from '../embeddings/embedding-record.ts';
import { LiveSearcher } from '../service/live-searcher.ts';
import { SEARCH_SETTING } from '../settings/search-settings.ts';

/** `Near` and `Wide` of a model each, and `Far` of the model of `Near`. */
const MODELS = { Near: 'a', Far: 'a', Wide: 'b' } as const;
const FIELDS = Object.keys(MODELS) as (keyof typeof MODELS)[];
const TYPES = ['Note', 'Paper'] as const;
const SETTINGS = {
  types: Object.fromEntries(
    TYPES.map((type) => [
      type,
      {
        searchable: true,
        language: '--',
        fields: Object.fromEntries(
          FIELDS.map((name) => [name, { vector: { model: MODELS[name] } }]),
        ),
      },
    ]),
  ),
};

interface Node {
  readonly type: (typeof TYPES)[number];
  readonly fields: Readonly<Record<string, readonly number[]>>;
  readonly isHidden: boolean;
}

const axis = fc.integer({ min: -3, max: 3 });
const vector = fc.tuple(axis, axis, axis).filter((all) => all.some((one) => one !== 0));
const node: fc.Arbitrary<Node> = fc.record({
  type: fc.constantFrom(...TYPES),
  fields: fc.record({ Near: vector, Far: vector, Wide: vector }, { requiredKeys: [] }),
  isHidden: fc.integer({ min: 0, max: 3 }).map((one) => one === 0),
});
const similarity: fc.Arbitrary<Similarity> = fc.record(
  {
    count: fc.integer({ min: 1, max: 12 }),
    types: fc.constantFrom(['Note'], ['Note', 'Paper']),
    fields: fc.constantFrom(['Near'], ['Far', 'Wide']),
    similarityMin: fc.constantFrom(0, 0.8),
  },
  { requiredKeys: [] },
);
const place = fc.nat(30);
const question = fc.record({
  similarity,
  from: fc.oneof(
    fc.record({ places: fc.array(place, { maxLength: 4 }), isStep: fc.boolean() }),
    fc.record({ vectors: fc.record({ a: vector, b: vector }, { requiredKeys: ['a'] }) }),
  ),
  isAsUser: fc.boolean(),
});
type Question = typeof question extends fc.Arbitrary<infer T> ? T : never;
const withheld = fc.constantFrom(undefined, 'Note.Near', 'Paper.Wide');

it('finds what a look at every node finds, for everyone', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(node, { minLength: 1, maxLength: 30 }),
      withheld,
      fc.array(question, { minLength: 20, maxLength: 20 }),
      async (nodes, field, questions) => {
        await using world = await World.open(nodes, field);
        for (const one of questions) world.compare(one);
      },
    ),
    { seed: seed(), numRuns: scale({ sample: 25, soak: 500 }) },
  );
});

it('is refused where nothing has vectors, and where all came with their nodes', async () => {
  await using world = await World.open([], undefined);
  const start = (more: object) =>
    problemOf(() => world.run([{ op: 'startAtVectors', ...more } as QueryStep]));
  expect(await start({ vectors: {} })).toMatchObject({ code: 'invalid_request' });
  const unsearched = { vectors: { a: vectorText(new Float32Array([1])) }, types: ['Plain'] };
  expect(await start(unsearched)).toMatchObject({ code: 'invalid_request' });
});

class World implements AsyncDisposable {
  readonly #graph: TestGraph;
  readonly #nodes: readonly Node[];
  readonly #withheld: string | undefined;
  readonly #uids: readonly string[];
  readonly #searcher: LiveSearcher;

  private constructor(graph: TestGraph, nodes: readonly Node[], withheldField: string | undefined) {
    this.#graph = graph;
    this.#nodes = nodes;
    this.#withheld = withheldField;
    this.#uids = nodes.map(({ type }, i) =>
      must(graph.reader.uid(graph.idOf(type, `n${i}`)), 'the UID of a node'),
    );
    this.#searcher = new LiveSearcher(graph.reader);
  }

  static async open(nodes: readonly Node[], withheldField: string | undefined): Promise<World> {
    await using opened = new AsyncDisposableStack();
    const graph = opened.use(await openTestGraph());
    await graph.writer.addSystemSchema();
    const fields = Object.fromEntries(FIELDS.map((name) => [name, 'Float[]' as const]));
    const types = TYPES.map((type) => ({ type, key: 'Key', fields }));
    await graph.addSchema({ nodes: [...types, { type: 'Plain', fields: {} }] });
    const operations = nodes.map(({ type, fields: own }, i) => ({
      op: 'addOrUpdate' as const,
      type,
      key: `n${i}`,
      fields: own,
    }));
    const settings = settingOperation(SEARCH_SETTING, SETTINGS);
    await graph.writer.commit({ system: true, operations: [settings, ...operations] });
    graph.reader.refresh();
    const world = new World(graph, nodes, withheldField);
    opened.move();
    return world;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#graph[Symbol.asyncDispose]();
  }

  run(
    steps: readonly QueryStep[],
  ): readonly { readonly node: NodeObject; readonly score: number }[] {
    const { findSimilar } = this.#searcher.current();
    const options = { visibility: this.#visibility(), findSimilar };
    const answer = runQuery(this.#graph.reader, { steps, end: { end: 'scored' } }, options);
    return answer as ReturnType<World['run']>;
  }

  compare({ similarity: wanted, from, isAsUser }: Question): void {
    const expected = this.#expected(wanted, from, isAsUser);
    const message = JSON.stringify({ wanted, from, isAsUser });
    const steps = stepsOf(wanted, from, this.#uids);
    const find = () => this.run(isAsUser ? [...steps, { op: 'asUser' }] : steps);
    if (expected === 'refused') {
      expect(find, message).toThrow(/no field of these has vectors/);
      return;
    }
    const found = find();
    const best = [...expected.values()].toSorted((a, b) => b - a).slice(0, wanted.count ?? 50);
    // What is almost as similar as the least that may be found can be found or not.
    const tolerance = 1e-3;
    const isAtTheEdge = best.some(
      (score) => Math.abs(score - (wanted.similarityMin ?? -2)) < tolerance,
    );
    if (!isAtTheEdge) expect(found.length, message).toBe(best.length);
    expect(new Set(found.map(({ node: { UID } }) => UID)).size).toBe(found.length);
    found.forEach(({ node: { UID }, score }, i) => {
      expect(score, message).toBeCloseTo(expected.get(UID) ?? NaN, 3);
      expect(score, message).toBeCloseTo(best[i] ?? score, 3);
      expect(score, message).toBeLessThanOrEqual(found[i - 1]?.score ?? 1.001);
    });
  }

  /** The similarities of all that can be found, by UID. Refused when no vector may be looked at. */
  #expected(
    wanted: Similarity,
    from: Question['from'],
    isAsUser: boolean,
  ): Map<string, number> | 'refused' {
    const { types = TYPES, fields = FIELDS, similarityMin = -1 } = wanted;
    const vectorsAt = (i: number) => {
      const { type, fields: own, isHidden } = this.#nodes[i]!;
      if (isAsUser && isHidden) return [];
      return Object.entries(own).flatMap(([name, value]) => {
        const isSeen = !isAsUser || `${type}.${name}` !== this.#withheld;
        if (!isSeen || !fields.includes(name)) return [];
        return [{ model: MODELS[name as keyof typeof MODELS] as string, value }];
      });
    };
    const places = 'places' in from ? from.places.filter((i) => i < this.#nodes.length) : [];
    const sought =
      'places' in from
        ? places.flatMap(vectorsAt)
        : Object.entries(from.vectors).map(([model, value]) => ({ model, value: value ?? [] }));
    const all = types.flatMap((type) => fields.map((field) => `${type}.${field}`));
    const isHidden = isAsUser && all.every((name) => name === this.#withheld);
    const hasSeen = (name: string) =>
      this.#nodes.some(({ type, isHidden: isGone }) => type === name && !isGone);
    // Nothing is refused of a type of which no node is seen.
    if (isHidden && sought.length > 0) return types.every(hasSeen) ? 'refused' : new Map();
    const scores = new Map<string, number>();
    for (const [i, { type }] of this.#nodes.entries()) {
      if (places.includes(i) || !types.includes(type)) continue;
      const each = vectorsAt(i).flatMap(({ model, value }) =>
        sought.filter((one) => one.model === model).map((one) => cosine(value, one.value)),
      );
      const score = Math.max(...each);
      if (score >= similarityMin) scores.set(this.#uids[i]!, score);
    }
    return scores;
  }

  #visibility(): Visibility {
    const isHidden = new Set(
      this.#nodes.flatMap((one, i) => (one.isHidden ? this.#graph.idOf(one.type, `n${i}`) : [])),
    );
    return {
      canSee: (id) => !isHidden.has(id),
      hiddenOfType: (type) => this.#nodes.filter((one) => one.type === type && one.isHidden).length,
      mayHideOfType: () => false,
      sightOf: () => [...isHidden, this.#withheld].join(),
      canSeeEdge: () => true,
      withholdsFields: (type) => this.#withheld?.startsWith(type) === true,
      canReadField: () => true,
      canReadFieldOfType: (type, field) => `${type}.${field}` !== this.#withheld,
      present: (_id, shown) => shown,
    };
  }
}

function stepsOf(
  wanted: Similarity,
  from: Question['from'],
  uids: readonly string[],
): readonly QueryStep[] {
  if ('vectors' in from) {
    const vectors = Object.entries(from.vectors).map(([model, value]) => [
      model,
      vectorText(Float32Array.from(value ?? [])),
    ]);
    return [{ op: 'startAtVectors', vectors: Object.fromEntries(vectors), ...wanted }];
  }
  const some = from.places.flatMap((i) => uids[i] ?? []);
  return from.isStep
    ? [
        { op: 'startAtUids', uids: some },
        { op: 'similar', ...wanted },
      ]
    : [{ op: 'startAtSimilar', uids: some, ...wanted }];
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]) =>
    x.reduce((sum, value, i) => sum + value * y[i]!, 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}
