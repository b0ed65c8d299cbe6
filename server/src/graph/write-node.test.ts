import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NODE_KEY_BYTES_MAX, NODE_RECORD_BYTES_MAX } from '#base/limits.ts';
import { NODE_ALIASES_MAX } from '@trellis/contract/limits.ts';
import { CAT, DOG, openGraphOfWords, uidOf, word } from './testing/graph-of-words.ts';
import { problemOf } from './testing/test-graph.ts';
import type { TestGraph } from './testing/test-graph.ts';

let graph: TestGraph;

beforeEach(async () => {
  graph = await openGraphOfWords();
});

afterEach(() => graph[Symbol.asyncDispose]());

describe('a node', () => {
  it('shows its key as Id and under the name that its type gives it', async () => {
    await graph.write({ op: 'addOrUpdate', type: 'Word', fields: { Lemma: 'bird', Rank: 3 } });
    const id = graph.idOf('Word', 'bird');
    expect(graph.reader.node(id)).toEqual({
      UID: uidOf('Word', 'bird'),
      Type: 'Word',
      Timestamp: new Date(graph.clock.time).toISOString(),
      Id: 'bird',
      Lemma: 'bird',
      Rank: 3,
    });
    expect(graph.reader.field(id, 'Lemma')).toBe('bird');
    expect(graph.reader.field(id, 'Id')).toBe('bird');
    expect(graph.reader.field(id, 'Nothing')).toBeUndefined();
  });

  it('may have a key without a name for it, or none and a random UID', async () => {
    const { outcomes } = await graph.writer.commit({
      operations: [
        { op: 'addOrUpdate', type: 'Note', key: 'n1', fields: { Text: 'one' } },
        { op: 'tryAdd', type: 'Note', fields: { Text: 'two' } },
        { op: 'addOrUpdate', type: 'Note', fields: { Text: 'two' } },
      ],
    });
    const uids = outcomes.map(({ uid }) => uid ?? '');
    expect(new Set(uids).size).toBe(3);
    graph.reader.refresh();
    const nodes = uids.map((uid) => graph.reader.node(graph.reader.id({ uid })!));
    expect(nodes[0]).toMatchObject({ UID: uidOf('Note', 'n1'), Id: 'n1', Text: 'one' });
    expect(nodes[1]).toMatchObject({ Text: 'two' });
    expect(nodes[1]).not.toHaveProperty('Id');
    await graph.write({ op: 'update', uid: uids[2]!, fields: { Text: 'three' } });
    expect(graph.reader.field(graph.reader.id({ uid: uids[2]! })!, 'Text')).toBe('three');
  });

  it('takes its time from the operation, else from a field, else from the clock', async () => {
    const timestampOf = (key: string) => graph.reader.field(graph.idOf('Word', key), 'Timestamp');
    const at = '1950-03-04T05:06:07.008Z';
    await graph.write(word('a'), word('b', { At: at }), {
      ...word('c', { At: at }),
      op: 'addOrUpdate',
      timestamp: 12,
    });
    expect(timestampOf('a')).toBe(new Date(graph.clock.time).toISOString());
    expect(timestampOf('b')).toBe(at);
    expect(timestampOf('c')).toBe('1970-01-01T00:00:00.012Z');
    const keys = () => graph.reader.idsOfType('Word').map((id) => graph.reader.field(id, 'Id'));
    expect(keys().slice(-2)).toEqual(['c', 'b']);
    graph.clock.time += 1;
    await graph.write(word('b', { At: null }), word('c', { Rank: 1 }));
    expect(timestampOf('b')).toBe(at);
    expect(timestampOf('c')).toBe('1970-01-01T00:00:00.012Z');
    await graph.write(word('b', { At: '2999-01-01' }));
    expect(keys()[0]).toBe('b');
    expect(graph.reader.idsOfType('Word', { skip: 1, take: 2 })).toHaveLength(2);
    expect(graph.reader.idsOfType('Word', { take: 0 })).toEqual([]);
    expect(graph.reader.idsOfType('Unknown')).toEqual([]);
  });

  it('keeps aliases out of what it shows', async () => {
    await graph.write({ op: 'update', ...DOG, aliases: ['hound', 'Hund'] });
    const id = graph.idOf('Word', 'dog');
    expect(graph.reader.aliases(id)).toEqual(['hound', 'Hund']);
    await graph.write(word('dog', { Rank: 5 }));
    expect(graph.reader.aliases(id)).toEqual(['hound', 'Hund']);
    expect(JSON.stringify(graph.reader.node(id))).not.toContain('Hund');
    await graph.write({ op: 'update', ...DOG, aliases: [] });
    expect(graph.reader.aliases(id)).toEqual([]);
  });

  it('reads a field that was widened since, and the old value until it is written', async () => {
    const nodes = [{ type: 'Word', fields: { Rank: 'Decimal', Text: 'String[]' } } as const];
    await graph.write(word('dog', { Text: 'woof' }));
    await graph.addSchema({ nodes });
    const id = graph.idOf('Word', 'dog');
    expect(graph.reader.node(id)).toMatchObject({ Rank: '1', Text: ['woof'] });
    await graph.write(word('dog', { Rank: '1.5' }));
    expect(graph.reader.node(id)).toMatchObject({ Rank: '1.5', Text: ['woof'] });
  });

  it('is created under a chosen UID by the server only', async () => {
    const uid = uidOf('Note', 'someone else');
    const operations = [{ op: 'addOrUpdate', type: 'Note', uid, fields: {} }] as const;
    expect(await problemOf(() => graph.writer.commit({ operations }))).toMatchObject({
      code: 'invalid_operation',
      details: { index: 0, path: 'uid' },
    });
    await graph.writer.commit({ operations, system: true });
    graph.reader.refresh();
    expect(graph.reader.uid(graph.reader.id({ uid })!)).toBe(uid);
    const other = [{ op: 'addOrUpdate', type: 'Note', key: 'k', uid: uidOf('Note', 'x') }] as const;
    expect(
      await problemOf(() => graph.writer.commit({ operations: other, system: true })),
    ).toMatchObject({ details: { path: 'uid' } });
  });
});

describe('edges', () => {
  it('keep their time and their other fields when they are linked again', async () => {
    const link = { op: 'link', from: DOG, edge: 'Means', to: CAT } as const;
    await graph.write({ ...link, fields: { Weight: 0.5 } });
    const [created] = graph.reader.edges(graph.idOf('Word', 'dog'), 'out');
    graph.clock.time += 1_000;
    const { outcomes, edges } = await graph.writer.commit({
      operations: [link, { ...link, fields: { Weight: 0.5 } }],
    });
    expect({ outcomes, edges }).toEqual({
      outcomes: [
        { uid: null, changed: false },
        { uid: null, changed: false },
      ],
      edges: 0,
    });
    await graph.write({ ...link, timestamp: 5 });
    const [dated] = graph.reader.edges(graph.idOf('Word', 'dog'), 'out');
    expect(dated).toEqual({ ...created, timestamp: '1970-01-01T00:00:00.005Z' });
    await graph.write({ ...link, fields: { Weight: null } });
    expect(graph.reader.edges(graph.idOf('Word', 'dog'), 'out')).toEqual([
      {
        type: 'Means',
        from: uidOf('Word', 'dog'),
        to: uidOf('Word', 'cat'),
        timestamp: dated!.timestamp,
      },
    ]);
    expect(graph.reader.edges(graph.idOf('Word', 'cat'), 'out', 'MeantBy')).toHaveLength(1);
    expect(graph.reader.neighbors(graph.idOf('Word', 'cat'), 'in', 'Means')).toEqual([
      graph.idOf('Word', 'dog'),
    ]);
    expect(graph.reader.neighbors(graph.idOf('Word', 'cat'), 'in', 'Unknown')).toEqual([]);
  });
});

describe('limits', () => {
  it('of a key', async () => {
    for (const bytes of [NODE_KEY_BYTES_MAX - 1, NODE_KEY_BYTES_MAX]) {
      await graph.write(word('k'.repeat(bytes)));
      await graph.write(word('é'.repeat(Math.floor(bytes / 2))));
    }
    for (const key of [
      'k'.repeat(NODE_KEY_BYTES_MAX + 1),
      'é'.repeat(NODE_KEY_BYTES_MAX / 2 + 1),
    ]) {
      expect(await problemOf(() => graph.write(word(key)))).toMatchObject({
        details: { path: 'key' },
      });
    }
  });

  it('of a node', async () => {
    await graph.write(word('big', { Text: '' }));
    const overhead = 33 + 2 * 7 + 3;
    const text = (bytes: number) => word('big', { Text: 'x'.repeat(bytes - overhead) });
    await graph.write(text(NODE_RECORD_BYTES_MAX - 1));
    await graph.write(text(NODE_RECORD_BYTES_MAX));
    expect(await problemOf(() => graph.write(text(NODE_RECORD_BYTES_MAX + 1)))).toMatchObject({
      details: { path: 'fields' },
    });
    const id = graph.idOf('Word', 'big');
    expect(String(graph.reader.field(id, 'Text'))).toHaveLength(NODE_RECORD_BYTES_MAX - overhead);
  });

  it('of aliases', async () => {
    const aliased = (count: number) =>
      graph.write({ op: 'update', ...DOG, aliases: Array.from({ length: count }, String) });
    await aliased(NODE_ALIASES_MAX - 1);
    await aliased(NODE_ALIASES_MAX);
    expect(await problemOf(() => aliased(NODE_ALIASES_MAX + 1))).toMatchObject({
      details: { path: 'aliases' },
    });
  });
});
