import { expect, test } from 'vitest';
import { base64Bytes, kindOf } from './value-kind.ts';

test.each([
  ['2026-03-01T10:00:00.000Z', 'time'],
  ['2026-03-01', 'text'],
  ['2KGvYgNiBmkvxnZvEsBn1K', 'node'],
  ['internationalizational', 'text'],
  ['https://example.com/a?b=c', 'address'],
  ['javascript:alert(1)', 'text'],
  ['https://example.com and more', 'text'],
  [Buffer.alloc(100, 'Ab1').toString('base64'), 'bytes'],
  ['a'.repeat(100), 'text'],
  ['', 'text'],
  [true, 'flag'],
  [0.5, 'number'],
  [{ lat: 1, lon: 2 }, 'place'],
  [{ lat: 1, lon: '2' }, 'json'],
  [{ lat: 1, lon: 2, up: 3 }, 'json'],
  [null, 'none'],
])('without a schema %j is read as %s', (value, kind) => {
  expect(kindOf(value, undefined)).toBe(kind);
});

test.each([
  ['12', 'Decimal', 'number'],
  ['plain', 'Json', 'json'],
  ['AAEC', 'Bytes', 'bytes'],
  ['2KGvYgNiBmkvxnZvEsBn1K', 'String', 'text'],
  ['https://example.com', 'String', 'address'],
])('%s of the type %s is read as %s', (value, type, kind) => {
  expect(kindOf(value, type)).toBe(kind);
});

test.each([0, 1, 2, 3, 1_500])('%i bytes in base64 are counted', (bytes) => {
  expect(base64Bytes(Buffer.alloc(bytes).toString('base64'))).toBe(bytes);
});
