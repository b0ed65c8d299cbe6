import { expect, it } from 'vitest';
import { SkippedRows } from './import-skipped.ts';

it('keeps skipped rows as a file, with what only some have and the reason after it', () => {
  const skipped = new SkippedRows(['id', 'name']);
  skipped.add({ number: 2, row: { id: '2', name: 'a,b' } }, 'Row 2: “x” is not of the type Int');
  skipped.add({ number: 7, row: { id: '7', name: '', 'Column 3': 'c' } }, 'Row 7 has 3 values');
  expect(skipped.csv().split('\r\n')).toEqual([
    'id,name,Column 3,Reason',
    '2,"a,b",,Row 2: “x” is not of the type Int',
    '7,,c,Row 7: has 3 values',
  ]);
});

it('gives the reason a name of its own', () => {
  const skipped = new SkippedRows(['Reason']);
  skipped.add({ number: 1, row: { Reason: null } }, 'no');
  expect(skipped.csv()).toBe('Reason,Reason_\r\n,Row 1: no');
});

it('counts all, and keeps a bounded number', () => {
  const skipped = new SkippedRows(['id']);
  for (let number = 1; number <= 10_001; number++) skipped.add({ number, row: {} }, 'no');
  expect([skipped.count, skipped.keptCount]).toEqual([10_001, 10_000]);
});
