import { expect, it } from 'vitest';
import { SpareMemory } from './spare-memory.ts';

const BYTES = 64 * 1024;

it('hands out what it was given, and gives all back from when it is disposed on', () => {
  const memory = new SpareMemory();
  const [one, other, late] = [0, 1, 2].map(() => new ArrayBuffer(BYTES));
  expect(memory.take()).toBeUndefined();
  memory.give(one!);
  memory.give(other!);
  expect(memory.take()).toBe(other);
  memory[Symbol.dispose]();
  memory.give(late!);
  expect(memory.take()).toBeUndefined();
  expect([one, other, late].map((buffer) => buffer!.byteLength)).toEqual([0, BYTES, 0]);
});
