import { expect, test } from 'vitest';
import {
  chosenOf,
  isAsking,
  readSearchAddress,
  requestOf,
  withFilter,
  withRange,
} from './search-address.ts';

test('an address keeps what it is made of, and nothing else', () => {
  expect(
    readSearchAddress({
      // The router reads what looks like JSON.
      q: 42,
      type: 'Note',
      filters: { Tags: ['sea', 7], IsOpen: true, Odd: { a: 1 } },
      from: '2026-03-01',
      to: 'tomorrow',
      sort: 'recent',
      mode: 'telepathy',
      skip: 20,
      other: 'x',
    }),
  ).toEqual({
    q: '42',
    type: ['Note'],
    filters: { Tags: ['sea', '7'], IsOpen: [true] },
    from: '2026-03-01',
    sort: 'recent',
    skip: 20,
  });
  expect(readSearchAddress({ q: ' ', type: [], filters: [1], skip: -1 })).toEqual({});
});

test('a day is asked for to its end, and a moment as it is', () => {
  expect(requestOf({ q: 'a', from: '2026-03-01', to: '2026-03-02' })).toEqual({
    query: 'a',
    filters: [
      { field: 'Timestamp', op: '>=', value: '2026-03-01T00:00:00.000Z' },
      { field: 'Timestamp', op: '<=', value: '2026-03-02T23:59:59.999Z' },
    ],
  });
  expect(requestOf({ to: '2026-03-02T10:59:59.999Z' }).filters).toEqual([
    { field: 'Timestamp', op: '<=', value: '2026-03-02T10:59:59.999Z' },
  ]);
});

test('a filter goes as it came, and begins with the first page', () => {
  const begun = { q: 'a', skip: 20 };
  const chosen = withFilter(withFilter(begun, 'Type', ['Note']), 'Tags', ['sea']);
  expect(chosen).toEqual({ q: 'a', type: ['Note'], filters: { Tags: ['sea'] } });
  expect(chosenOf(chosen, 'Type')).toEqual(['Note']);
  expect(chosenOf(chosen, 'Tags')).toEqual(['sea']);
  expect(withFilter(withFilter(chosen, 'Tags', []), 'Type', [])).toEqual({ q: 'a' });
  expect(withRange(withRange(begun, { from: '2026-03-01' }), {})).toEqual({ q: 'a' });
});

test('an order alone asks for nothing', () => {
  expect(isAsking({ sort: 'recent' })).toBe(false);
  expect(isAsking({ to: '2026-03-01' })).toBe(true);
});
