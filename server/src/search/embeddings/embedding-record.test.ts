import { expect, it } from 'vitest';
import { vectorOf, vectorText } from './embedding-record.ts';

it('writes vectors as little-endian floats, and reads them wherever they lie', () => {
  const part = Float32Array.of(9, 1, -2.5, 9).subarray(1, 3);
  const text = Buffer.from('0000803f000020c0', 'hex').toString('base64');
  expect(vectorText(part)).toBe(text);
  expect(vectorOf(text)).toEqual(Float32Array.of(1, -2.5));
  // What is left over is no number.
  expect(vectorOf(Buffer.from('0000803f00', 'hex').toString('base64'))).toEqual(Float32Array.of(1));
  expect(vectorOf('')).toHaveLength(0);
});
