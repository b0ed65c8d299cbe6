import { expect, it } from 'vitest';
import { DB } from './databases.ts';
import { BatchMemory, OverlaidBatch } from './overlaid-batch.ts';
import { Overlay } from './overlay.ts';

const VALUE_BYTES = 100_000;
const name = (text: string): Buffer => Buffer.from(text);

/** A batch that puts a large value under each key. */
function batchOf(overlay: Overlay, memory: BatchMemory, values: Record<string, number>) {
  const batch = new OverlaidBatch(overlay, 1, memory);
  for (const [key, value] of Object.entries(values)) {
    batch.put(DB.nodes, name(key), Buffer.alloc(VALUE_BYTES, value));
  }
  batch.seal();
  return batch;
}

/** The first byte of what the overlay has under a key. */
function shown(overlay: Overlay, key: string): number | null | undefined {
  const value = overlay.get(DB.nodes, name(key));
  if (value === null || value === undefined) return value;
  expect(value.every((byte) => byte === value[0])).toBe(true);
  return value[0];
}

it('uses the memory of a batch again only when the overlay shows nothing of it', () => {
  const overlay = new Overlay();
  const memory = new BatchMemory();
  const a = batchOf(overlay, memory, { a: 1, both: 1 });
  const b = batchOf(overlay, memory, { b: 2, both: 2 });
  const memories = new Set([a.bytes.buffer, b.bytes.buffer]);
  a.drop();
  // What `a` put may be seen as long as `b` is there, so a third batch must not overwrite it.
  const c = batchOf(overlay, memory, { a: 3 });
  expect(memories.has(c.bytes.buffer)).toBe(false);
  expect(['a', 'b', 'both'].map((key) => shown(overlay, key))).toEqual([3, 2, 2]);
  c.undo();
  expect(['a', 'b', 'both'].map((key) => shown(overlay, key))).toEqual([1, 2, 2]);
  b.drop();
  expect(['a', 'b', 'both'].map((key) => shown(overlay, key))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  const [d, e] = [batchOf(overlay, memory, { a: 4 }), batchOf(overlay, memory, { b: 5 })];
  expect(memories).toEqual(new Set([d.bytes.buffer, e.bytes.buffer]));
  expect(['a', 'b', 'both'].map((key) => shown(overlay, key))).toEqual([4, 5, undefined]);
});

it('leaves the memory of a refused batch alone: the log may still have it', () => {
  const overlay = new Overlay();
  const memory = new BatchMemory();
  const refused = batchOf(overlay, memory, { a: 1 });
  refused.undo();
  expect(memory.take()).toBeUndefined();
  expect(refused.payload.length).toBeGreaterThan(VALUE_BYTES);
});

it('keeps little of what it is given, and nothing once it is released', () => {
  const memory = new BatchMemory();
  memory.give(new Uint8Array(1_000));
  expect(memory.take()).toBeUndefined();
  const large = Array.from({ length: 80 }, () => new Uint8Array(1024 * 1024));
  for (const bytes of large) memory.give(bytes);
  expect(large.filter(({ length }) => length > 0).length).toBe(64);
  memory.release();
  expect(memory.take()).toBeUndefined();
  expect(large.every(({ length }) => length === 0)).toBe(true);
});

it('empties tables that a load has made large, with few operations in them and with many', () => {
  const overlay = new Overlay();
  const memory = new BatchMemory();
  for (const operations of [20_000, 1, 3, 600, 20_000, 2]) {
    const batch = new OverlaidBatch(overlay, 1, memory);
    for (let i = 0; i < operations; i++)
      batch.put(DB.nodes, name(`key ${i}`), name(`${operations}`));
    batch.seal();
    expect(Buffer.from(overlay.get(DB.nodes, name('key 0'))!).toString()).toBe(`${operations}`);
    batch.drop();
    for (let i = 0; i < operations; i++) {
      expect(overlay.get(DB.nodes, name(`key ${i}`))).toBeUndefined();
    }
  }
});
