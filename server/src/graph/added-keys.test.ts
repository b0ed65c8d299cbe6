import { describe, expect, it } from 'vitest';
import { keyedUid } from '#base/uid.ts';
import { DB } from '#store/databases.ts';
import { MemoryState } from '#store/memory-state.ts';
import { AddedKeys } from './added-keys.ts';
import { KeyEncoder } from './keys.ts';

const NONE = new Uint8Array(0);
const EMPTY = 1;
const WITH_NODES = 2;

async function added(entriesMax?: number): Promise<AddedKeys> {
  const state = new MemoryState();
  await state.commit((batch) => batch.put(DB.types, new KeyEncoder().type(WITH_NODES, 0, 1), NONE));
  const keys = new AddedKeys(state.view, entriesMax);
  keys.begin(2);
  return keys;
}

function uidOf(i: number): Uint8Array {
  return keyedUid('Person', String(i));
}

function share(count: number, isSo: (i: number) => boolean): number {
  let found = 0;
  for (let i = 0; i < count; i++) if (isSo(i)) found++;
  return found / count;
}

describe('what a writer knows to be absent', () => {
  it('is a node of a type that was empty, unless it was added', async () => {
    const keys = await added();
    const uids = Array.from({ length: 140_000 }, (_, i) => uidOf(i));
    expect(keys.mayHaveNode(EMPTY, uids[0]!)).toBe(false);
    for (const uid of uids) keys.addNode(uid);
    expect(uids.every((uid) => keys.mayHaveNode(EMPTY, uid))).toBe(true);
    expect(share(20_000, (i) => keys.mayHaveNode(EMPTY, uidOf(-1 - i)))).toBeLessThan(0.03);
  });

  it('is no node of a type that had nodes', async () => {
    const keys = await added();
    expect(keys.mayHaveNode(WITH_NODES, uidOf(1))).toBe(true);
  });

  it('is an edge of a newer node, unless it was added', async () => {
    const keys = await added();
    const count = 140_000;
    const ends = (i: number): [number, number, number] => [2 + (i % 997), 1 + (i % 3), 2 + i];
    expect(keys.mayHaveEdge(...ends(5))).toBe(false);
    for (let i = 0; i < count; i++) keys.addEdge(...ends(i));
    expect(share(count, (i) => keys.mayHaveEdge(...ends(i)))).toBe(1);
    expect(share(20_000, (i) => keys.mayHaveEdge(2 + i, 4, 2 + (i % 997)))).toBeLessThan(0.03);
  });

  it('is an edge between an older and a newer node too, and none between older ones', async () => {
    const keys = await added();
    expect([keys.mayHaveEdge(1, 1, 2), keys.mayHaveEdge(2, 1, 1)]).toEqual([false, false]);
    keys.addEdge(1, 1, 2);
    expect([keys.mayHaveEdge(1, 1, 2), keys.mayHaveEdge(2, 1, 1)]).toEqual([true, false]);
    expect(keys.mayHaveEdge(1, 1, 1)).toBe(true);
  });

  it('is nothing any more when too much was added', async () => {
    const keys = await added(150_000);
    for (let i = 0; i < 140_000; i++) keys.addNode(uidOf(i));
    expect(share(100, (i) => keys.mayHaveNode(EMPTY, uidOf(-1 - i)))).toBe(1);
  });

  it('is known again from the next commit on, after its memory was given back', async () => {
    const keys = await added();
    keys.addNode(uidOf(1));
    keys.addEdge(2, 1, 3);
    keys.clear();
    keys.begin(4);
    expect(keys.mayHaveEdge(2, 1, 3)).toBe(true);
    expect(keys.mayHaveEdge(2, 1, 4)).toBe(false);
    keys.addEdge(2, 1, 4);
    keys.addNode(uidOf(2));
    expect([keys.mayHaveEdge(2, 1, 4), keys.mayHaveNode(EMPTY, uidOf(2))]).toEqual([true, true]);
  });
});
