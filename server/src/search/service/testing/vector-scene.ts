import * as fc from 'fast-check';
import { settingOperation } from '#access/settings.ts';
import { must } from '#base/assert.ts';
import type { WriterOperation } from '#graph/operations.ts';
import type { Visibility } from '#graph/reader.ts';
import { openTestGraph, type TestGraph } from '#graph/testing/test-graph.ts';
import { SEARCH_SETTING } from '../../settings/search-settings.ts';
import { LiveSearcher } from '../live-searcher.ts';
import { Searcher } from '../searcher.ts';

export const NOW = Date.UTC(2026, 5, 1);
export const DAY_MS = 86_400_000;

/** `Near` has three dimensions of both types, `Far` two. */
export const TYPES = {
  Note: { Title: 'String', Text: 'String', Tag: 'String', Near: 'Float[]', Far: 'Double[]' },
  Paper: { Title: 'String', Tag: 'String', Near: 'Float[]' },
} as const;
export const TEXTS = ['Title', 'Text'];
export const VECTORS = ['Near', 'Far'];
const SETTINGS = {
  types: Object.fromEntries(
    Object.entries(TYPES).map(([type, fields]) => [
      type,
      {
        searchable: true,
        language: '--',
        fields: Object.fromEntries(
          Object.keys(fields).map((name) => {
            if (VECTORS.includes(name)) return [name, { vector: { model: 'external' } }];
            if (name === 'Tag') return [name, { facet: true }];
            return [name, { text: { boost: name === 'Title' ? 2 : 1 } }];
          }),
        ),
      },
    ]),
  ),
};

export interface SceneNode {
  readonly type: keyof typeof TYPES;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly timestamp: number;
  readonly isHidden: boolean;
}

const words = fc
  .array(fc.constantFrom('sea', 'ship', 'lamp', 'tide', 'north'), { minLength: 1, maxLength: 5 })
  .map((list) => list.join(' '));
const axis = fc.integer({ min: -3, max: 3 });
const threeAxes = fc.tuple(axis, axis, axis).filter((all) => all.some((one) => one !== 0));
const twoAxes = fc.tuple(axis, axis).filter((all) => all.some((one) => one !== 0));
const timestamp = fc.integer({ min: 0, max: 20 }).map((days) => NOW - days * 3 * DAY_MS);
const tag = fc.constantFrom('red', 'green', 'blue');

export const sceneNode: fc.Arbitrary<SceneNode> = fc
  .record({
    type: fc.constantFrom('Note' as const, 'Paper' as const),
    fields: fc.record(
      { Title: words, Text: words, Tag: tag, Near: threeAxes, Far: twoAxes },
      { requiredKeys: [] },
    ),
    timestamp,
    isHidden: fc.integer({ min: 0, max: 3 }).map((one) => one === 0),
  })
  .map(({ type, fields, ...rest }) => ({
    type,
    fields: Object.fromEntries(Object.entries(fields).filter(([name]) => name in TYPES[type])),
    ...rest,
  }));

/** Fields that the searcher may not read, as `Type.Field`. */
export const withheld = fc.uniqueArray(
  fc.constantFrom('Note.Title', 'Note.Near', 'Note.Tag', 'Note.Far', 'Paper.Near', 'Paper.Title'),
  { maxLength: 2 },
);

export const vectorRequest = fc.record(
  {
    query: fc.constantFrom(
      '',
      'sea',
      'lamp tide',
      'sea ship north',
      '"sea ship"',
      'ship -lamp',
      '-sea',
      'tide OR lamp',
      'sae nrth',
      '()',
      'Title:tide',
    ),
    vector: fc.oneof(threeAxes, twoAxes),
    mode: fc.constantFrom('vector' as const, 'hybrid' as const),
    weight: fc.constantFrom(0, 0.3, 0.5, 1),
    ranking: fc.constantFrom('weighted' as const, 'rrf' as const),
    similarityMin: fc.constantFrom(0, 0.5, 0.9),
    sort: fc.constantFrom('relevance', 'relevance', 'recent', 'oldest'),
    timeDecay: fc.constant({ halfLifeDays: 20 }),
    types: fc.constantFrom(['Note'], ['Paper', 'Note']),
    fields: fc.constantFrom(['Title', 'Near'], ['Near'], ['Far', 'Text', 'Title'], ['Far']),
    filters: fc.constantFrom({ Tag: 'red' }, { Tag: ['green', 'blue'] }),
    targets: fc.uniqueArray(fc.integer({ min: 0, max: 39 }), { minLength: 10, maxLength: 40 }),
  },
  { requiredKeys: ['query', 'vector', 'mode'] },
);
export type VectorRequest = typeof vectorRequest extends fc.Arbitrary<infer T> ? T : never;

/** Nodes in a graph of their own, that somebody searches who does not see all of them. */
export class VectorScene implements AsyncDisposable {
  readonly nodes: readonly SceneNode[];
  /** Ids of `nodes`, in the same order. */
  readonly ids: readonly number[];
  readonly searcher: Searcher;
  readonly visibility: Visibility;
  readonly withheld: ReadonlySet<string>;
  readonly #graph: TestGraph;

  private constructor(graph: TestGraph, nodes: readonly SceneNode[], fields: readonly string[]) {
    this.#graph = graph;
    this.nodes = nodes;
    this.ids = nodes.map(({ type }, i) => graph.idOf(type, `n${i}`));
    this.withheld = new Set(fields);
    const hidden = new Set(this.ids.filter((_, i) => nodes[i]?.isHidden));
    this.visibility = visibilityOf(graph, hidden, this.withheld);
    this.searcher = new Searcher({ reader: graph.reader, now: () => NOW });
    this.searcher.receive(new LiveSearcher(graph.reader).snapshot());
  }

  static async open(
    nodes: readonly SceneNode[],
    withheldFields: readonly string[] = [],
  ): Promise<VectorScene> {
    await using opened = new AsyncDisposableStack();
    const graph = opened.use(await openTestGraph());
    await graph.writer.addSystemSchema();
    await graph.addSchema({
      nodes: Object.entries(TYPES).map(([type, fields]) => ({ type, key: 'Key', fields })),
    });
    const operations = nodes.map(({ type, fields, timestamp: time }, i): WriterOperation => ({
      op: 'addOrUpdate',
      type,
      key: `n${i}`,
      fields,
      timestamp: time,
    }));
    const settings = settingOperation(SEARCH_SETTING, SETTINGS);
    await graph.writer.commit({ system: true, operations: [settings, ...operations] });
    graph.reader.refresh();
    const scene = new VectorScene(graph, nodes, withheldFields);
    opened.move();
    return scene;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#graph[Symbol.asyncDispose]();
  }

  uid(id: number | undefined): string | undefined {
    return id === undefined ? undefined : this.#graph.reader.uid(id);
  }

  idOf({ node: { UID } }: { readonly node: { readonly UID?: unknown } }): number {
    return must(this.#graph.reader.id({ uid: String(UID) }), 'the id of a hit');
  }

  nodeOf(id: number): SceneNode {
    return must(this.nodes[this.ids.indexOf(id)], 'a node of the scene');
  }
}

function visibilityOf(
  { reader }: TestGraph,
  hidden: ReadonlySet<number>,
  withheldFields: ReadonlySet<string>,
): Visibility {
  const canRead = (type: string | undefined, field: string): boolean =>
    !withheldFields.has(`${type}.${field}`);
  return {
    canSee: (id) => !hidden.has(id),
    hiddenOfType: (type) => [...hidden].filter((id) => reader.typeOf(id) === type).length,
    mayHideOfType: () => hidden.size > 0,
    sightOf: () => [...hidden, ...withheldFields].join(),
    canSeeEdge: () => true,
    withholdsFields: (type) => [...withheldFields].some((name) => name.startsWith(`${type}.`)),
    canReadField: (id, field) => canRead(reader.typeOf(id), field),
    canReadFieldOfType: canRead,
    present: (_, shown) => {
      const { UID, Type, Timestamp, ...rest } = shown;
      const fields = Object.entries(rest).filter(([field]) => canRead(Type, field));
      return { UID, Type, Timestamp, ...Object.fromEntries(fields) };
    },
  };
}
