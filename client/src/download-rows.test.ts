import { expect, it } from 'vitest';
import { RowCounter } from './download-rows.ts';

const CSV = 'Link,UID,Title\r\n/#/node/1,1,"one\r\nand ""two"""\r\n/#/node/2,2,three\r\n';

it.each([1, 2, 3, 7, 1_000])('counts rows of CSV in pieces of %i bytes', (size) => {
  const rows = new RowCounter('csv');
  const bytes = new TextEncoder().encode(CSV);
  for (let at = 0; at < bytes.length; at += size) rows.add(bytes.subarray(at, at + size));
  expect([rows.count, rows.bytes]).toEqual([2, bytes.length]);
});

it('counts no row before there is one', () => {
  const rows = new RowCounter('csv');
  expect(rows.count).toBe(0);
  rows.add(new TextEncoder().encode('Link,UID\r\n'));
  expect(rows.count).toBe(0);
});

it('counts JSON lines, in which a quote is no sign', () => {
  const rows = new RowCounter('jsonl');
  rows.add(new TextEncoder().encode('{"a":"1\\""}\n{"a":2}\n'));
  expect(rows.count).toBe(2);
});

it('counts nothing but bytes of a zip', () => {
  const rows = new RowCounter('zip');
  rows.add(new TextEncoder().encode('PK\n\n'));
  expect([rows.count, rows.bytes]).toEqual([undefined, 4]);
});
