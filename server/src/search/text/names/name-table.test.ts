import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResidentBytes } from '../segment-bytes.ts';
import { NameTable } from './name-table.ts';
import { NamesBuilder } from './names-builder.ts';

/** Few letters, some of which sort in another order as UTF-16 than as UTF-8. */
const name = fc
  .array(fc.constantFrom('a', 'b', ' ', '\0', 'é', '\uff21', '𝒳'), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(''));
const DOCUMENTS = 300;
const entries = fc
  .array(fc.tuple(name, fc.nat(DOCUMENTS - 1), fc.nat(1_023)), { maxLength: 120, size: 'max' })
  .map((all) => all.toSorted(([, a], [, b]) => a - b));

type Entry = [name: string, document: number, field: number];

function tableOf(all: readonly Entry[]): NameTable {
  const builder = new NamesBuilder();
  for (const entry of all) builder.add(...entry);
  const { names, entries: bytes, ...blocks } = builder.finish(DOCUMENTS);
  return new NameTable({
    ...blocks,
    names: new ResidentBytes(names),
    entries: new ResidentBytes(bytes),
    documentCount: DOCUMENTS,
  });
}

function read(table: NameTable, range: readonly [number, number]): string[] {
  const found: string[] = [];
  table.someEntry(range, (document, field) => found.push(`${document} ${field}`) === 0);
  return found.toSorted();
}

describe('a table of names', () => {
  it('gives the entries of a name, and those of names that begin with it', () => {
    fc.assert(
      fc.property(entries, name, fc.nat(200), (all, other, at) => {
        const table = tableOf(all);
        for (const asked of [other, ...all.slice(at, at + 1).map(([one]) => one)]) {
          const expected = (isMeant: (one: string) => boolean): string[] =>
            all.flatMap(([one, ...entry]) => (isMeant(one) ? [entry.join(' ')] : [])).toSorted();
          expect(read(table, table.entriesOf(asked))).toEqual(expected((one) => one === asked));
          expect(read(table, table.entriesFrom(asked))).toEqual(
            expected((one) => one.startsWith(asked)),
          );
          const names = new Set(all.map(([one]) => one).filter((one) => one.startsWith(asked)));
          expect(new Set(table.namesFrom(asked, 1_000))).toEqual(names);
          expect(table.namesFrom(asked, 2)).toEqual(table.namesFrom(asked, 1_000).slice(0, 2));
        }
      }),
    );
  });

  it('holds long names, and names of many documents', () => {
    const long = 'ab'.repeat(10_000);
    const all = Array.from({ length: 10_000 }, (_, i): Entry => ['x', i % DOCUMENTS, i % 1_000]);
    const table = tableOf([[long, 1, 2], [`${long}c`, 3, 4], ...all]);
    expect(read(table, table.entriesOf(long))).toEqual(['1 2']);
    expect(read(table, table.entriesFrom(long))).toEqual(['1 2', '3 4']);
    expect(read(table, table.entriesOf('x'))).toHaveLength(all.length);
  });
});
