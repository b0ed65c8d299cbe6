import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DB } from '#store/databases.ts';
import type { CommitRequest, WriterOperation } from './operations.ts';
import { contentOf } from './testing/graph-content.ts';
import { CAT, DOG, openGraphOfWords, uidOf, word } from './testing/graph-of-words.ts';
import { openTestGraph, problemOf } from './testing/test-graph.ts';
import type { TestGraph } from './testing/test-graph.ts';

let graph: TestGraph;

beforeEach(async () => {
  graph = await openGraphOfWords();
});

afterEach(() => graph[Symbol.asyncDispose]());

describe('a commit', () => {
  it('names the nearest known name', async () => {
    for (const [operation, nearest] of [
      [{ op: 'addOrUpdate', type: 'Wrod', key: 'x' }, 'Word'],
      [word('x', { rank: 1 }), 'Rank'],
      [{ op: 'link', from: DOG, edge: 'Mean', to: CAT }, 'Means'],
      [{ op: 'unlnk' }, 'unlink'],
    ] as const) {
      const operations = [operation] as WriterOperation[];
      await expect(graph.writer.commit({ operations })).rejects.toMatchObject({
        hint: `Did you mean "${nearest}"?`,
      });
    }
  });

  it('checks the version that the caller has read', async () => {
    const conflict = (operation: object) =>
      problemOf(() => graph.writer.commit({ operations: [operation as WriterOperation] }));
    const uid = uidOf('Word', 'dog');
    for (const operation of [
      { op: 'update', ...DOG, fields: { Rank: 9 }, ifVersion: 2 },
      { op: 'tryAdd', ...DOG, ifVersion: 0 },
      { op: 'delete', ...DOG, ifVersion: 7 },
      { op: 'link', from: DOG, edge: 'Means', to: DOG, ifVersion: 2 },
      { op: 'unlink', from: DOG, edge: 'Means', to: { type: 'Word', key: 'none' }, ifVersion: 3 },
      { op: 'unlinkExcept', from: DOG, edge: 'Means', keep: [], ifVersion: 4 },
    ]) {
      expect(await conflict(operation)).toEqual({
        code: 'version_conflict',
        details: {
          index: 0,
          uid,
          version: 1,
          ifVersion: operation.ifVersion,
        },
      });
    }
    const missing = { op: 'addOrUpdate', type: 'Word', key: 'x', ifVersion: 1 };
    expect(await conflict(missing)).toMatchObject({ details: { version: 0, ifVersion: 1 } });
    await graph.write(
      { op: 'update', ...DOG, fields: { Rank: 9 }, ifVersion: 1 },
      { op: 'update', ...DOG, fields: { Rank: 9 }, ifVersion: 2 },
      { op: 'addOrUpdate', type: 'Word', key: 'x', ifVersion: 0 },
    );
    expect(graph.reader.version(graph.idOf('Word', 'dog'))).toBe(2);
  });

  it('writes nothing when nothing changes', async () => {
    const before = graph.state.sequence;
    const result = await graph.writer.commit({
      operations: [
        word('dog', { Rank: 1 }),
        { op: 'tryAdd', ...DOG, fields: { Rank: 7 } },
        { op: 'delete', type: 'Word', key: 'nobody' },
        { op: 'unlink', from: DOG, edge: 'Means', to: CAT },
        { op: 'unlink', from: DOG, edge: 'Means', to: { type: 'Word', key: 'nobody' } },
        { op: 'unlinkExcept', from: { type: 'Word', key: 'nobody' }, edge: 'Means', keep: [CAT] },
      ],
    });
    expect(result).toMatchObject({ nodes: 0, edges: 0, sequence: before });
    expect(result.outcomes.map(({ changed }) => changed)).toEqual(Array(6).fill(false));
    expect(result.outcomes[0]!.uid).toBe(uidOf('Word', 'dog'));
  });

  it('takes a schema, the operations that need it, and secrets, all or none', async () => {
    const request: CommitRequest = {
      schema: { nodes: [{ type: 'Place', fields: { At: 'GeoPoint' } }], edges: [] },
      operations: [
        { op: 'addOrUpdate', type: 'Place', key: 'x', fields: { At: { lat: 1, lon: 2 } } },
      ],
      vault: [{ key: 'token/1', value: Buffer.from('secret').toString('base64') }],
    };
    const broken = { ...request, operations: [...request.operations, word('x', { Rank: 'x' })] };
    await problemOf(() => graph.writer.commit(broken));
    graph.reader.refresh();
    expect(graph.reader.schema().nodes.map(({ type }) => type)).not.toContain('Place');
    const secret = () => graph.state.view.get(DB.vault, Buffer.from('token/1'));
    expect(secret()).toBeUndefined();
    await graph.writer.commit(request);
    graph.reader.refresh();
    expect(graph.reader.field(graph.idOf('Place', 'x'), 'At')).toEqual({ lat: 1, lon: 2 });
    expect(Buffer.from(secret()!).toString()).toBe('secret');
    await graph.writer.commit({ operations: [], vault: [{ key: 'token/1', value: null }] });
    expect(secret()).toBeUndefined();
  });

  it('may write built-in types when it is the server that asks', async () => {
    await graph.writer.commit({
      operations: [
        { op: 'addOrUpdate', type: '_User', key: 'me', fields: { IsAdmin: true } },
        { op: 'link', from: DOG, edge: 'RestrictAccessToUser', to: { type: '_User', key: 'me' } },
      ],
      system: true,
    });
    graph.reader.refresh();
    expect(graph.reader.field(graph.idOf('_User', 'me'), 'IsAdmin')).toBe(true);
    const byUid = { uid: uidOf('_User', 'me') };
    for (const operation of [
      { op: 'update', ...byUid, fields: { IsAdmin: false } },
      { op: 'delete', ...byUid },
    ] as const) {
      expect(await problemOf(() => graph.write(operation))).toMatchObject({
        code: 'invalid_operation',
      });
    }
    // All edges of a deleted node are deleted too, of every type.
    await graph.write({ op: 'delete', ...DOG });
    expect(graph.reader.edges(graph.idOf('_User', 'me'), 'in')).toEqual([]);
  });

  it('leaves no trace when the log has no room for it', async () => {
    await using small = await openTestGraph({ logBytesMax: 20_000 });
    await small.addSchema({ nodes: [{ type: 'Note', fields: { Text: 'String' } }] });
    const note = (key: string, length: number): WriterOperation => ({
      op: 'addOrUpdate',
      type: 'Note',
      key,
      fields: { Text: 'x'.repeat(length) },
    });
    await small.write(note('a', 10));
    const outcomes = await Promise.allSettled([
      small.writer.commit({
        operations: [note('b', 30_000), { op: 'delete', type: 'Note', key: 'a' }],
      }),
      small.writer.commit({ operations: [{ op: 'update', type: 'Note', key: 'b', fields: {} }] }),
      small.writer.commit({ operations: [note('c', 10)] }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(
      await problemOf(() => small.write({ op: 'update', type: 'Note', key: 'b' })),
    ).toMatchObject({ code: 'invalid_operation' });
    await small.write(note('a', 11), note('c', 10));
    expect(contentOf(small.reader, small.snapshot)).toMatchObject({ counts: { Note: 2 } });
  });
});
