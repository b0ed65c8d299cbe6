import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MERGE_EDGES_MAX } from '@trellis/contract/limits.ts';
import { changesOfCommit } from './node-changes.ts';
import type { MergeWork, WriterOperation } from './operations.ts';
import type { SchemaEdit } from './schema-edits.ts';
import { uidOf } from './testing/graph-of-words.ts';
import { contentWithoutVersions, expectDerived, friendsOf } from './testing/merged-people.ts';
import { openTestGraph, problemOf, type TestGraph } from './testing/test-graph.ts';

let graph: TestGraph;

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
      { type: 'City', key: 'Name', fields: {} },
    ],
    edges: [{ type: 'Knows', inverse: 'KnownBy', fields: { Since: 'Int' } }, { type: 'LivesIn' }],
  });
});
afterEach(() => graph[Symbol.asyncDispose]());

const ref = (key: string) => ({ type: 'Person', key });
const uid = (key: string) => uidOf('Person', key);

function person(key: string, fields: Record<string, unknown> = {}): WriterOperation {
  return { op: 'addOrUpdate', type: 'Person', key, fields } as WriterOperation;
}

function knows(from: string, to: string, since?: number): WriterOperation {
  const fields = since === undefined ? {} : { fields: { Since: since } };
  return { op: 'link', from: ref(from), edge: 'Knows', to: ref(to), ...fields };
}

async function merge(id: string, into: string, node: string, more: Partial<MergeWork> = {}) {
  const work = { id, into: uid(into), node: uid(node), ...more };
  const result = await graph.writer.commit({ operations: [], system: true, merges: [work] });
  graph.reader.refresh();
  return result;
}

async function split(id: string) {
  const result = await graph.writer.commit({ operations: [], system: true, split: { id } });
  graph.reader.refresh();
  return result;
}

function shown(key: string): unknown {
  const id = graph.reader.id(ref(key));
  return id === undefined ? undefined : graph.reader.node(id);
}

const friends = (key: string) => friendsOf(graph, key, 'Since');
const content = (...stayed: string[]) => contentWithoutVersions(graph, new Set(stayed.map(uid)));

describe('a merge', () => {
  beforeEach(async () => {
    await graph.write(
      person('Ann', { Phone: '1', Tags: ['a'] }),
      {
        ...person('Anne', { Phone: '2', Mail: 'ann@example.com' }),
        aliases: ['annie'],
      } as WriterOperation,
      person('Bob'),
      person('Cid'),
      { op: 'addOrUpdate', type: 'City', key: 'Rome', fields: {} },
      knows('Ann', 'Bob', 1),
      knows('Anne', 'Bob', 2),
      knows('Anne', 'Cid', 3),
      knows('Bob', 'Anne', 4),
      knows('Ann', 'Anne', 5),
      knows('Anne', 'Anne', 6),
      { op: 'link', from: ref('Anne'), edge: 'LivesIn', to: { type: 'City', key: 'Rome' } },
    );
  });

  it('leads the UID and the key of one node to the other, which gets its edges and fields', async () => {
    await merge('m', 'Ann', 'Anne');
    const expected = {
      UID: uid('Ann'),
      Name: 'Ann',
      Phone: '1',
      Mail: 'ann@example.com',
      Tags: ['a'],
    };
    expect(shown('Ann')).toMatchObject(expected);
    expect(shown('Anne')).toEqual(shown('Ann'));
    expect(graph.reader.id({ uid: uid('Anne') })).toBe(graph.idOf('Person', 'Ann'));
    expect(graph.reader.aliases(graph.idOf('Person', 'Ann'))).toEqual(['annie']);
    expect(friends('Ann')).toEqual(['Ann 6', 'Bob 1', 'Cid 3']);
    expect(friends('Bob')).toEqual(['Ann 4']);
    expect(graph.reader.countOfType('Person')).toBe(3);
    await expectDerived(graph);
  });

  it('is one commit, which says that one node was changed and one deleted', async () => {
    const before = graph.log.lastSequence;
    await merge('m', 'Ann', 'Anne');
    const commits = [];
    for await (const { payload } of graph.log.read(before + 1)) {
      const { nodes } = changesOfCommit(payload, graph.reader.registry);
      commits.push(
        nodes
          .filter(({ type }) => type === 'Person')
          .map((one) => [one.event, one.uid, one.before()?.['Phone'], one.after()?.['Mail']]),
      );
    }
    expect(commits).toEqual([
      [
        ['deleted', uid('Anne'), '2', undefined],
        ['updated', uid('Ann'), '1', 'ann@example.com'],
      ],
    ]);
  });

  it('takes values of the request over those of both', async () => {
    await merge('m', 'Ann', 'Anne', { fields: { Phone: '2', Tags: null } });
    expect(shown('Ann')).toMatchObject({ Phone: '2', Mail: 'ann@example.com' });
    expect(shown('Ann')).not.toHaveProperty('Tags');
  });

  it('is taken back by a split', async () => {
    const before = content('Ann');
    await merge('m', 'Ann', 'Anne', { fields: { Phone: '7' } });
    await split('m');
    expect(content('Ann')).toEqual(before);
    await expectDerived(graph);
    expect(graph.reader.version(graph.idOf('Person', 'Ann'))).toBe(3);
  });

  it('says of a split that a node was created', async () => {
    await graph.write(person('Anne', { Phone: '3' }));
    await merge('m', 'Ann', 'Anne');
    const before = graph.log.lastSequence;
    await split('m');
    for await (const { payload } of graph.log.read(before + 1)) {
      const changes = changesOfCommit(payload, graph.reader.registry);
      const events = changes.nodes.map(({ event, uid: of }) => `${event} ${of}`);
      expect(events).toContain(`created ${uid('Anne')}`);
      expect(events).toContain(`updated ${uid('Ann')}`);
    }
  });

  it('keeps the history of both', async () => {
    await graph.write(person('Anne', { Phone: '3' }));
    const history = graph.reader.history(graph.idOf('Person', 'Anne'));
    await merge('m', 'Ann', 'Anne');
    const merged = graph.reader.history(graph.idOf('Person', 'Ann'));
    expect(merged?.changes.map(({ version }) => version)).toEqual([2]);
    await split('m');
    expect(graph.reader.history(graph.idOf('Person', 'Anne'))).toEqual(history);
  });

  it('leaves nothing of the node that went in the history of the one that stayed', async () => {
    await graph.write({
      ...person('Anne', { Phone: 'theirs', Mail: 'theirs@example.com', Tags: ['theirs'] }),
      timestamp: '2011-11-11',
    } as WriterOperation);
    await graph.write(
      person('Ann', { Phone: null, Tags: null, Mail: null }),
      person('Anne', { Born: '2011-11-11' }),
    );
    const versions = (): unknown => graph.reader.history(graph.idOf('Person', 'Ann'))?.changes;
    const before = Object(versions()) as readonly unknown[];
    await merge('m', 'Ann', 'Anne');
    await graph.write(person('Ann', { Mail: 'ours@example.com', Phone: 'ours' }));
    await graph.write(person('Ann', { Phone: 'theirs' }));
    const { log } = graph;
    const last = log.lastSequence;
    await split('m');
    expect(shown('Ann')).toMatchObject({ Mail: 'ours@example.com' });
    const after = Object(versions()) as readonly unknown[];
    expect(after.slice(-before.length)).toEqual(before);
    expect(after).toHaveLength(before.length + 4);
    expect(JSON.stringify(after)).not.toMatch(/theirs|2011-11-11/);
    expect(JSON.stringify(after)).toContain('ours');
    for await (const { payload } of log.read(last + 1)) {
      const ann = changesOfCommit(payload, graph.reader.registry).nodes.find(
        (one) => one.uid === uid('Ann') && one.event === 'updated',
      );
      // Followers of the log are told what changed.
      expect(ann?.before()).toMatchObject({ Phone: 'theirs', Tags: ['theirs'] });
    }
  });

  it('leaves what was written since to the node that stayed', async () => {
    await merge('m', 'Ann', 'Anne');
    await graph.write(
      person('Anne', { Phone: '9' }),
      knows('Anne', 'Bob', 8),
      { op: 'unlink', from: ref('Ann'), edge: 'Knows', to: ref('Cid') },
      { op: 'addOrUpdate', type: 'City', key: 'Oslo', fields: {} },
      { op: 'link', from: ref('Anne'), edge: 'LivesIn', to: { type: 'City', key: 'Oslo' } },
    );
    expect(shown('Ann')).toMatchObject({ Phone: '9' });
    await split('m');
    expect(shown('Ann')).toMatchObject({ Phone: '9' });
    expect(shown('Ann')).not.toHaveProperty('Mail');
    expect(shown('Anne')).toMatchObject({ Phone: '2', Mail: 'ann@example.com' });
    expect(friends('Ann')).toEqual(['Anne 5', 'Bob 8']);
    expect(friends('Anne')).toEqual(['Anne 6', 'Bob 2']);
    const cities = (key: string) =>
      graph.reader.neighbors(graph.idOf('Person', key), 'out', 'LivesIn').length;
    expect([cities('Ann'), cities('Anne')]).toEqual([1, 1]);
    await expectDerived(graph);
  });

  it('moves edges to nodes whose type was dropped, and gives them back', async () => {
    const rome = { type: 'City', key: 'Rome' };
    await graph.write({ op: 'link', from: ref('Anne'), edge: 'LivesIn', to: rome });
    const before = content('Ann', 'Anne');
    const edit = (one: SchemaEdit) =>
      graph.writer.commit({ operations: [], system: true, edits: { edits: [one] } });
    const lives = (key: string): unknown =>
      graph.reader
        .edges(graph.idOf('Person', key), 'out', 'LivesIn')
        .map(({ to }) => graph.reader.field(graph.reader.id(to) ?? 0, 'Name'));
    await edit({ drop: { type: 'City' }, by: 'drop' });
    await merge('m', 'Ann', 'Anne');
    expect(lives('Ann')).toEqual([]);
    await edit({ restore: 'drop' });
    graph.reader.refresh();
    expect(lives('Ann')).toEqual(['Rome']);
    await edit({ drop: { type: 'City' }, by: 'again' });
    await split('m');
    await edit({ restore: 'again' });
    graph.reader.refresh();
    expect([lives('Ann'), lives('Anne')]).toEqual([[], ['Rome']]);
    expect(content('Ann', 'Anne')).toEqual(before);
  });

  it('takes writes by the key that went, also with the key among the fields', async () => {
    await merge('m', 'Ann', 'Anne');
    await graph.write(person('Anne', { Name: 'Anne', Phone: '5' }));
    expect(shown('Ann')).toMatchObject({ Name: 'Ann', Phone: '5' });
    expect(await problemOf(() => graph.write(person('Ann', { Name: 'Anne' })))).toMatchObject({
      code: 'invalid_operation',
    });
    const exists = { ...person('Anne'), ifVersion: 0 } as WriterOperation;
    expect(await problemOf(() => graph.write(exists))).toMatchObject({ code: 'version_conflict' });
  });

  it('is not deleted by a name that went, and goes as a whole by its own', async () => {
    await graph.write(person('Anne', { Phone: '3' }));
    await merge('m', 'Ann', 'Anne');
    await graph.write({ op: 'delete', ...ref('Anne') }, { op: 'delete', uid: uid('Anne') });
    expect(shown('Anne')).toBeDefined();
    await graph.write({ op: 'delete', ...ref('Ann') });
    expect([shown('Ann'), shown('Anne')]).toEqual([undefined, undefined]);
    expect(graph.reader.countOfType('_NodeMerge')).toBe(0);
    content();
    await expectDerived(graph);
    await graph.write(person('Anne', { Mail: 'new@example.com' }));
    expect(shown('Anne')).toMatchObject({ UID: uid('Anne'), Mail: 'new@example.com' });
  });

  it('of a node that was merged into is split in turn', async () => {
    const before = content('Ann', 'Anne', 'Bob');
    await merge('m', 'Anne', 'Ann');
    await merge('n', 'Bob', 'Anne');
    expect(shown('Ann')).toEqual(shown('Bob'));
    await expectDerived(graph);
    expect(await problemOf(() => split('m'))).toMatchObject({
      code: 'merge_not_last',
      details: { id: 'n' },
    });
    await split('n');
    expect(shown('Ann')).toEqual(shown('Anne'));
    await expectDerived(graph);
    await split('m');
    expect(content('Ann', 'Anne', 'Bob')).toEqual(before);
    expect(await problemOf(() => split('m'))).toMatchObject({ code: 'merge_not_found' });
  });

  it('is refused for one node, for two types, for built-in nodes and for other versions', async () => {
    const work =
      (into: string, node: string, more: Partial<MergeWork> = {}) =>
      () =>
        graph.writer.commit({
          operations: [],
          system: true,
          merges: [{ id: 'm', into, node, ...more }],
        });
    const reason = async (call: () => unknown) =>
      Object((await problemOf(call)).details).reason as unknown;
    expect(await reason(work(uid('Ann'), uid('Ann')))).toBe('same-node');
    expect(await reason(work(uid('Ann'), uidOf('City', 'Rome')))).toBe('types');
    expect(await problemOf(work(uid('Ann'), uid('Dan')))).toMatchObject({
      code: 'invalid_operation',
    });
    expect(await problemOf(work(uid('Ann'), uid('Bob'), { nodeVersion: 7 }))).toMatchObject({
      code: 'version_conflict',
    });
    await graph.writer.commit({
      operations: ['a', 'b'].map((key) => ({ op: 'addOrUpdate', type: '_UserName', key }) as const),
      system: true,
    });
    expect(await reason(work(uidOf('_UserName', 'a'), uidOf('_UserName', 'b')))).toBe('built-in');
  });

  it('takes so many edges, and not one more', async () => {
    await graph.write(
      ...Array.from({ length: MERGE_EDGES_MAX - 1 }, (_, i) => person(`p${i}`)),
      person('Hub'),
      ...Array.from({ length: MERGE_EDGES_MAX - 1 }, (_, i): WriterOperation => ({
        op: 'link',
        from: ref('Hub'),
        edge: 'LivesIn',
        to: ref(`p${i}`),
      })),
    );
    const link = (to: string): WriterOperation => ({
      op: 'link',
      from: ref('Hub'),
      edge: 'LivesIn',
      to: ref(to),
    });
    await graph.write(link('Bob'), link('Cid'));
    expect(await problemOf(() => merge('m', 'Ann', 'Hub'))).toMatchObject({
      code: 'merge_refused',
      details: { reason: 'too-many-edges' },
    });
    await graph.write({ op: 'unlink', from: ref('Hub'), edge: 'LivesIn', to: ref('Bob') });
    await merge('m', 'Ann', 'Hub');
    expect(graph.reader.neighbors(graph.idOf('Person', 'Ann'), 'out', 'LivesIn')).toHaveLength(
      MERGE_EDGES_MAX,
    );
  });
});

it('whatever was merged, splits give the graph before it', async () => {
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
  const merges = fc.array(fc.record({ into: key, node: key, fields }), {
    minLength: 1,
    maxLength: 4,
  });
  const edges = fc.array(fc.record({ from: key, to: key, since: fc.nat(3) }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fields, { minLength: KEYS.length, maxLength: KEYS.length }),
      edges,
      merges,
      async (values, links, wanted) => {
        await graph.write(...KEYS.map((one) => ({ op: 'delete', ...ref(one) }) as const));
        const mails = new Set<unknown>();
        const people = KEYS.map((one, i) => {
          const { Mail, ...rest } = values[i] ?? {};
          if (Mail === undefined || mails.has(Mail)) return person(one, rest);
          mails.add(Mail);
          return person(one, { ...rest, Mail });
        });
        await graph.write(...people, ...links.map(({ from, to, since }) => knows(from, to, since)));
        const before = content(...KEYS);
        const done: string[] = [];
        for (const [
          i,
          {
            into,
            node,
            fields: { Phone },
          },
        ] of wanted.entries()) {
          if (graph.reader.id(ref(into)) === graph.reader.id(ref(node))) continue;
          await merge(`m${i}`, into, node, Phone === undefined ? {} : { fields: { Phone } });
          done.unshift(`m${i}`);
        }
        await expectDerived(graph);
        for (const id of done) await split(id);
        await expectDerived(graph);
        expect(content(...KEYS)).toEqual(before);
      },
    ),
    { numRuns: 30 },
  );
});
