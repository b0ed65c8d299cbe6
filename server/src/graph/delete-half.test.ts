import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { changesOfCommit } from './node-changes.ts';
import type { MergeWork, WriterOperation } from './operations.ts';
import { uidOf } from './testing/graph-of-words.ts';
import { contentWithoutVersions, expectDerived, friendsOf } from './testing/merged-people.ts';
import { openTestGraph, problemOf, type TestGraph } from './testing/test-graph.ts';

let graph: TestGraph;
const TRACE = { op: 'addOrUpdate', type: '_User', key: 'trace' } as const;

beforeEach(async () => {
  graph = await openTestGraph();
  await graph.writer.addSystemSchema();
  await graph.addSchema({
    nodes: [
      {
        type: 'Person',
        key: 'Name',
        fields: { Phone: 'String', Mail: 'String', Tags: 'String[]', Born: 'Time' },
        timestamp: 'Born',
        indexes: [{ field: 'Phone' }, { field: 'Mail', unique: true }, { field: 'Tags' }],
      },
    ],
    edges: [{ type: 'Knows', inverse: 'KnownBy', fields: { Since: 'Int' } }],
  });
  await graph.writer.commit({ system: true, operations: [TRACE] });
});
afterEach(() => graph[Symbol.asyncDispose]());

const ref = (key: string) => ({ type: 'Person', key });
const uid = (key: string) => uidOf('Person', key);
const person = (key: string, fields: Record<string, unknown> = {}) =>
  ({ op: 'addOrUpdate', type: 'Person', key, fields }) as WriterOperation;
const knows = (from: string, to: string, since = 0): WriterOperation => ({
  op: 'link',
  from: ref(from),
  edge: 'Knows',
  to: ref(to),
  fields: { Since: since },
});

/** As a connector sends it. */
async function send(...operations: readonly WriterOperation[]) {
  const result = await graph.writer.commit({ operations, namesRecords: { trace: TRACE } });
  graph.reader.refresh();
  return result;
}

async function merge(id: string, into: string, node: string, fields: MergeWork['fields'] = {}) {
  const work = { id, into: uid(into), node: uid(node), fields };
  await graph.writer.commit({ operations: [], system: true, merges: [work] });
  graph.reader.refresh();
}

async function split(id: string): Promise<void> {
  await graph.writer.commit({ operations: [], system: true, split: { id } });
  graph.reader.refresh();
}

function shown(key: string): unknown {
  const id = graph.reader.id(ref(key));
  return id === undefined ? undefined : graph.reader.node(id);
}

const friends = (key: string) => friendsOf(graph, key);
const content = () => contentWithoutVersions(graph);

it('deletes the half that a source names, and the other keeps what was its own', async () => {
  await send(
    person('Ann', { Phone: '1' }),
    person('Anne', { Phone: '2', Mail: 'anne@example.com' }),
    person('Bob'),
    person('Cid'),
    knows('Ann', 'Bob'),
    knows('Anne', 'Cid'),
    knows('Anne', 'Anne'),
    knows('Anne', 'Ann'),
  );
  await merge('m', 'Ann', 'Anne');
  expect(shown('Ann')).toMatchObject({ Phone: '1', Mail: 'anne@example.com' });
  expect(await send({ op: 'delete', ...ref('Anne') })).toMatchObject({ nodes: 1, splits: 1 });
  expect([shown('Anne'), friends('Ann')]).toEqual([undefined, ['Bob']]);
  expect(shown('Ann')).toMatchObject({ Name: 'Ann', Phone: '1' });
  expect(shown('Ann')).not.toHaveProperty('Mail');
  expect(graph.reader.countOfType('_NodeMerge')).toBe(0);
  content();
  await expectDerived(graph);
  // It is one node of its own again when its source has it again.
  await send(person('Anne', { Mail: 'anne@example.com' }));
  expect(shown('Anne')).toMatchObject({ UID: uid('Anne'), Mail: 'anne@example.com' });
});

it('gives the other its own back when the half goes that had stayed', async () => {
  await send(person('Ann', { Phone: '1' }), person('Anne', { Phone: '2' }), person('Bob'));
  await send(knows('Anne', 'Bob'), knows('Ann', 'Bob', 7));
  const anne = shown('Anne');
  await merge('m', 'Ann', 'Anne');
  const before = graph.log.lastSequence;
  expect(await send({ op: 'delete', uid: uid('Ann') })).toMatchObject({ splits: 1 });
  expect([shown('Ann'), shown('Anne'), friends('Anne')]).toEqual([undefined, anne, ['Bob']]);
  const events: string[] = [];
  for await (const { payload } of graph.log.read(before + 1)) {
    const { nodes } = changesOfCommit(payload, graph.reader.registry);
    events.push(
      ...nodes
        .filter(({ type }) => type === 'Person')
        .map(({ event, uid: of }) => `${event} ${of}`),
    );
  }
  expect(events.toSorted()).toEqual([`created ${uid('Anne')}`, `deleted ${uid('Ann')}`].toSorted());
  await expectDerived(graph);
});

it('deletes a half whose unique value another node has by now', async () => {
  await send(person('Ann', { Mail: 'a' }), person('Anne', { Mail: 'b' }));
  await merge('m', 'Ann', 'Anne');
  await send(person('Bob', { Mail: 'b' }));
  await send({ op: 'delete', ...ref('Anne') });
  expect([shown('Ann'), shown('Anne')]).toMatchObject([{ Mail: 'a' }, undefined]);
  await expectDerived(graph);
});

it('is for a source alone, of the right type, and at its version', async () => {
  await send(person('Ann'), person('Anne'));
  await merge('m', 'Ann', 'Anne');
  await graph.write({ op: 'delete', ...ref('Anne') });
  expect(shown('Anne')).toEqual(shown('Ann'));
  const late = { op: 'delete', ...ref('Anne'), ifVersion: 1 } as const;
  expect(await problemOf(() => send(late))).toMatchObject({ code: 'version_conflict' });
  const other = { op: 'delete', uid: uid('Anne'), type: '_User' } as const;
  expect(await problemOf(() => send(other))).toMatchObject({ code: 'invalid_operation' });
  expect(shown('Anne')).toEqual(shown('Ann'));
});

it('keeps what people have chosen of the nodes that stay one', async () => {
  await send(
    person('Ann', { Phone: '1', Tags: ['a'] }),
    person('Bob', { Phone: '2', Mail: 'b' }),
    person('Cid', { Phone: '3', Mail: 'c' }),
  );
  await merge('m', 'Ann', 'Bob');
  await merge('n', 'Ann', 'Cid', { Phone: '9' });
  await graph.write(person('Ann', { Tags: null }));
  await send({ op: 'delete', ...ref('Bob') });
  expect(shown('Ann')).toMatchObject({ Phone: '9', Mail: 'c' });
  expect(shown('Ann')).not.toHaveProperty('Tags');
  expect(shown('Cid')).toEqual(shown('Ann'));
  await split('n');
  expect([shown('Ann'), shown('Cid')]).toMatchObject([{ Phone: '1' }, { Phone: '3', Mail: 'c' }]);
});

it.each([
  { order: ['m', 'n'], what: 'that made one of them first' },
  { order: ['n', 'm'], what: 'that made one of them last' },
])('gives both ends of an edge back that were merged, and first the merge $what', async (given) => {
  await send(person('Ann'), person('Anne'), person('Bob'), person('Rob'), knows('Anne', 'Rob', 3));
  const before = content();
  await merge('m', 'Ann', 'Anne');
  await merge('n', 'Bob', 'Rob');
  expect(friends('Ann')).toEqual(['Bob']);
  for (const id of given.order) await split(id);
  expect(content()).toEqual(before);
  await expectDerived(graph);
});

it('whatever was merged, it is as if all had been split, and one then deleted', async () => {
  const KEYS = ['a', 'b', 'c', 'd', 'e'];
  const key = fc.constantFrom(...KEYS);
  const fields = fc.record(
    {
      Phone: fc.constantFrom('1', '2'),
      Mail: fc.constantFrom('x', 'y', 'z'),
      Tags: fc.constantFrom(['t'], ['t', 'u']),
      Born: fc.constantFrom('2020-01-01', '2021-01-01'),
    },
    { requiredKeys: [] },
  );
  const merged = fc.constantFrom(...KEYS);
  const pairs = fc.array(
    fc.record({ into: merged, node: merged, phone: fc.option(fc.constant('7')) }),
    {
      minLength: 1,
      maxLength: 5,
    },
  );
  const edges = fc.array(fc.record({ from: key, to: key, since: fc.nat(3) }), { maxLength: 12 });
  const goes = fc.uniqueArray(key, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fields, { minLength: KEYS.length, maxLength: KEYS.length }),
      edges,
      pairs,
      goes,
      async (values, links, wanted, gone) => {
        await graph.write(...KEYS.map((one) => ({ op: 'delete', ...ref(one) }) as const));
        const mails = new Set<unknown>();
        const people = KEYS.map((one, i) => {
          const { Mail, ...rest } = values[i] ?? {};
          if (Mail === undefined || mails.has(Mail)) return person(one, rest);
          mails.add(Mail);
          return person(one, { ...rest, Mail });
        });
        const all = [...people, ...links.map(({ from, to, since }) => knows(from, to, since))];
        await send(...all);
        await send(...gone.map((one) => ({ op: 'delete', ...ref(one) }) as const));
        const expected = content();
        await graph.write(...KEYS.map((one) => ({ op: 'delete', ...ref(one) }) as const));
        await send(...all);
        for (const [i, { into, node, phone }] of wanted.entries()) {
          if (graph.reader.id(ref(into)) === graph.reader.id(ref(node))) continue;
          await merge(`m${i}`, into, node, phone === null ? {} : { Phone: phone });
        }
        for (const one of gone) {
          await send({ op: 'delete', ...ref(one) });
          expect(shown(one)).toBeUndefined();
          await expectDerived(graph);
        }
        // Of a chain of merges the last one is split first.
        for (let i = wanted.length - 1; i >= 0; i--) {
          const left = graph.reader.id({ type: '_NodeMerge', key: `m${i}` });
          if (left !== undefined) await split(`m${i}`);
        }
        expect(graph.reader.countOfType('_NodeMerge')).toBe(0);
        expect(content()).toEqual(expected);
      },
    ),
    { numRuns: 40 },
  );
});
