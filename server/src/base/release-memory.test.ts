import { expect, it } from 'vitest';
import { releaseMemory } from './release-memory.ts';

const BYTES = 64 * 1024;

it('releases bytes that are all of their buffer', () => {
  const bytes = new Uint8Array(BYTES);
  releaseMemory(bytes);
  expect(bytes.length).toBe(0);
  // Once more does no harm.
  releaseMemory(bytes);
});

it('leaves a buffer that holds more than them, but for what is said to be beside them', () => {
  const buffer = new ArrayBuffer(BYTES + 5);
  const bytes = new Uint8Array(buffer, 5);
  releaseMemory(bytes);
  releaseMemory(bytes, 4);
  expect(bytes.length).toBe(BYTES);
  releaseMemory(bytes, 5);
  expect(bytes.length).toBe(0);
});

it('leaves what is small or shared', () => {
  const small = new Uint8Array(100);
  const shared = new Uint8Array(new SharedArrayBuffer(BYTES));
  releaseMemory(small);
  releaseMemory(shared);
  expect(small.length).toBe(100);
  expect(shared.length).toBe(BYTES);
});
