import { expect, it } from 'vitest';
import { DB } from '#store/databases.ts';
import { MemoryState } from '#store/memory-state.ts';
import { ID_MAX, KeyEncoder, TYPE_ID_MAX } from '../keys.ts';
import { BlockPacking } from './block-packing.ts';
import { BLOCK_IDS } from './row-block.ts';

const EMPTY = new Uint8Array(0);

it('counts in steps all keys of a row, over many ids and edge types', async () => {
  const hub = BLOCK_IDS + 6;
  const others = [
    ...Array.from({ length: 600 }, (_, i) => i),
    ...Array.from({ length: 9_000 }, (_, i) => 2 ** 20 + i * 3),
    2 ** 33,
    ID_MAX,
  ];
  const keys = new KeyEncoder();
  const state = new MemoryState();
  await state.commit((batch) => {
    for (const edge of [1, 2, TYPE_ID_MAX]) {
      for (const other of others) batch.put(DB.out, keys.out(hub, edge, other), EMPTY);
    }
    batch.put(DB.out, keys.out(hub + 1, 1, 0), EMPTY);
    batch.put(DB.in, keys.in(hub + 1, 1, hub), EMPTY);
    batch.put(DB.in, keys.in(hub - BLOCK_IDS, 1, hub), EMPTY);
  });
  const packing = new BlockPacking(state, 1);
  let steps = 1;
  while (!packing.proceed(0)) steps++;
  expect(steps).toBeGreaterThan(10);
  const degrees = [...packing.degrees.entries()].filter(([, degree]) => degree > 0);
  expect(degrees).toEqual([
    [6, 3 * others.length],
    [7, 2],
  ]);
});
