import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { formatUid, keyedUid } from '#base/uid.ts';
import type { CommitResult, WriterOperation, NodeReference } from './operations.ts';
import { StateReader } from './state-reader.ts';
import { contentOf, contentOfModel } from './testing/graph-content.ts';
import { GraphModel, MODEL_SCHEMA, Refusal } from './testing/graph-model.ts';
import { TestClock, openTestGraph } from './testing/test-graph.ts';
import type { TestGraph } from './testing/test-graph.ts';

const type = fc.constantFrom('A', 'B');
const key = fc.constantFrom('x', 'y', 'z', 'é');
const time = fc.constantFrom(-1, 0, Date.UTC(2026, 0, 1), Date.UTC(2030, 5, 5));
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
const rarely = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
/** A value of a field, a null that removes it, and sometimes a value that does not fit. */
const field = (value: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 60, arbitrary: value },
    { weight: 20, arbitrary: fc.constant(null) },
    { weight: 120, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constant(true) },
  );
const inObject: fc.Arbitrary<Exclude<NodeReference, string>> = fc
  .tuple(type, key, fc.boolean())
  .map(([t, k, byUid]) => (byUid ? { uid: formatUid(keyedUid(t, k)) } : { type: t, key: k }));
const reference: fc.Arbitrary<NodeReference> = fc.oneof(
  inObject,
  fc.tuple(type, key).map(([t, k]) => formatUid(keyedUid(t, k))),
);
const version = rarely(fc.nat(3));

/** The object without the members that are undefined. */
function compact<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

const nodeWrite = fc
  .record({
    op: fc.constantFrom('addOrUpdate', 'addOrUpdate', 'addOrUpdate', 'tryAdd', 'update'),
    type,
    key: optional(key),
    byUid: fc.boolean(),
    n: field(fc.nat(3)),
    s: field(fc.constantFrom('', 'ü', 'long '.repeat(20))),
    at: field(time.map((ms) => new Date(ms).toISOString())),
    name: rarely(key),
    timestamp: rarely(time),
    aliases: rarely(fc.uniqueArray(key)),
    ifVersion: version,
  })
  .map(({ byUid, n, s, at, name, ...write }) => {
    const isA = write.type === 'A';
    const fields = isA
      ? { N: n, S: s, At: at, Name: name }
      : { N: typeof n === 'number' ? [n, -n] : n, S: s };
    const { type: _, key: k, ...rest } = write;
    return byUid && k !== undefined && rest.op !== 'tryAdd'
      ? { ...rest, uid: formatUid(keyedUid(write.type, k)), fields }
      : { ...write, fields };
  });
const edge = fc.constantFrom('E', 'F', 'G', 'H');
const weights = rarely(fc.record({ W: fc.option(fc.nat(2)) }));
const link = fc
  .record({ from: reference, edge, to: reference, fields: weights, timestamp: rarely(time) })
  .map(({ fields, ...rest }) => ({
    op: 'link' as const,
    ...rest,
    ...(rest.edge === 'G' || rest.edge === 'H' ? { fields } : {}),
  }));
const operation = fc
  .oneof(
    { weight: 6, arbitrary: nodeWrite },
    {
      weight: 1,
      arbitrary: fc.record({ ref: inObject, ifVersion: version }).map(({ ref, ifVersion }) => ({
        op: 'delete' as const,
        ...ref,
        ifVersion,
      })),
    },
    { weight: 4, arbitrary: link },
    {
      weight: 1,
      arbitrary: fc.record({
        op: fc.constant('unlink' as const),
        from: reference,
        edge,
        to: reference,
        inverse: rarely(edge),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        op: fc.constant('unlinkExcept' as const),
        from: reference,
        edge,
        keep: fc.array(reference, { maxLength: 2 }),
      }),
    },
  )
  .map((some) => compact(some) as WriterOperation);

const commits = fc.array(
  fc.record({
    operations: fc.array(operation, { maxLength: 12 }),
    passes: fc.constantFrom(0, 0, 5),
  }),
  { minLength: 1, maxLength: 10 },
);

/** Creates every node that the operations may name, so that links find their ends. */
const SEED: readonly WriterOperation[] = ['A', 'B'].flatMap((t) =>
  ['x', 'y', 'z'].map((k) => ({ op: 'addOrUpdate' as const, type: t, key: k })),
);

async function attempt(
  graph: TestGraph,
  operations: readonly WriterOperation[],
): Promise<CommitResult | { code: unknown; index: unknown }> {
  try {
    return await graph.writer.commit({ operations });
  } catch (error) {
    const { code, details } = error as { code: unknown; details: { index: unknown } };
    return { code, index: details.index };
  }
}

let graph: TestGraph;
let pipelined: TestGraph;

beforeAll(async () => {
  graph = await openTestGraph();
  pipelined = await openTestGraph();
  for (const each of [graph, pipelined]) await each.addSchema(MODEL_SCHEMA);
});

afterAll(async () => {
  await graph[Symbol.asyncDispose]();
  await pipelined[Symbol.asyncDispose]();
});

async function clear({ reader, writer, clock }: TestGraph): Promise<void> {
  const ids = ['A', 'B'].flatMap((name) => reader.idsOfType(name));
  const operations = ids.map((id) => ({ op: 'delete' as const, uid: reader.uid(id) ?? '' }));
  await writer.commit({ operations });
  clock.time = new TestClock().time;
  reader.refresh();
}

it('does to a graph what a simple model does, or nothing at all', async () => {
  const view = new StateReader(graph.state.view, { refresh: () => 0, sequence: 0 });
  await fc.assert(
    fc.asyncProperty(commits, async (all) => {
      await clear(graph);
      const model = new GraphModel();
      for (const { operations, passes } of [{ operations: SEED, passes: 0 }, ...all]) {
        graph.clock.time += passes;
        const before = graph.reader.refresh();
        const done = await attempt(graph, operations);
        let expected: unknown;
        try {
          expected = model.commit(operations, graph.clock.time, (index) =>
            'outcomes' in done ? (done.outcomes[index]?.uid ?? '') : `failed ${index}`,
          );
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          expected = { code: error.code, index: error.index };
        }
        expect(done).toMatchObject(expected as object);
        const after = graph.reader.refresh();
        const isUnchanged = !('outcomes' in done) || done.outcomes.every(({ changed }) => !changed);
        expect(after > before).toBe(!isUnchanged);
        const content = contentOfModel(model);
        expect(contentOf(view, graph.snapshot)).toEqual(content);
        expect(contentOf(graph.reader, graph.snapshot)).toEqual(content);
      }
    }),
  );
});

it('gives the same graph when commits do not wait for one another', async () => {
  await fc.assert(
    fc.asyncProperty(commits, async (all) => {
      const keyed = all.map(({ operations }) =>
        operations.filter((some) => !('type' in some) || some.op === 'delete' || 'key' in some),
      );
      for (const each of [graph, pipelined]) {
        await clear(each);
        await each.write(...SEED);
      }
      for (const operations of keyed) await attempt(graph, operations);
      await Promise.all(
        keyed.map((operations, i) => {
          if (i % 3 === 2) pipelined.writer.releaseMemory();
          return attempt(pipelined, operations);
        }),
      );
      graph.reader.refresh();
      pipelined.reader.refresh();
      expect(contentOf(pipelined.reader, pipelined.snapshot)).toEqual(
        contentOf(graph.reader, graph.snapshot),
      );
    }),
    { numRuns: 50 },
  );
});
