import { expect, test } from 'vitest';
import { callsAfter } from './live-calls.ts';

const BEGUN = { state: 'begun', id: 'a', tool: 'search', input: { query: 'x' } } as const;
const ENDED = { ...BEGUN, state: 'ended', output: [1], ms: 4 } as const;

test('a call that ends takes the place of the one that has begun', () => {
  const begun = callsAfter([], BEGUN);
  expect(begun).toEqual([{ id: 'a', tool: 'search', input: { query: 'x' }, ms: undefined }]);
  const other = callsAfter(begun, { ...BEGUN, id: 'b' });
  expect(callsAfter(other, ENDED)).toEqual([
    { id: 'a', tool: 'search', input: { query: 'x' }, output: [1], ms: 4 },
    { id: 'b', tool: 'search', input: { query: 'x' }, ms: undefined },
  ]);
});

test('an end without a beginning is a call too', () => {
  expect(callsAfter([], ENDED)).toHaveLength(1);
});
