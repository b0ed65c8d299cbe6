import { describe, expect, it } from 'vitest';
import {
  canBeUnique,
  indexableFields,
  indexFor,
  indexOver,
  namedBy,
  purposeOf,
} from './field-index.ts';

const BOOK = {
  type: 'Book',
  key: 'Isbn',
  fields: {
    Title: 'String',
    Year: 'Int',
    Tags: 'String[]',
    Shop: 'GeoPoint',
    Cover: 'Bytes',
  },
  indexes: [{ field: 'Year' }, { fields: ['Year', 'Title'], unique: true }],
} as const;
const FIELDS = indexableFields(BOOK);
const chosen = (...names: readonly string[]) =>
  names.flatMap((name) => FIELDS.find((field) => field.name === name) ?? []);

describe('a field index', () => {
  it('is over the key, the fields and the timestamp', () => {
    expect(FIELDS.map(({ name, type, canBeCombined }) => [name, type, canBeCombined])).toEqual([
      ['Isbn', 'String', true],
      ['Title', 'String', true],
      ['Year', 'Int', true],
      ['Tags', 'String[]', false],
      ['Shop', 'GeoPoint', false],
      ['Cover', 'Bytes', false],
      ['Timestamp', 'Time', true],
    ]);
    const declared = indexableFields({ type: 'Note', fields: { Id: 'String' } });
    expect(declared.map(({ name }) => name)).toEqual(['Id', 'Timestamp']);
  });

  it('is found by its fields in their order', () => {
    expect(indexOver(BOOK, ['Year', 'Title'])).toEqual(BOOK.indexes[1]);
    expect(indexOver(BOOK, ['Title', 'Year'])).toBeUndefined();
    expect(namedBy(['Year'])).toEqual({ field: 'Year' });
    expect(namedBy(['Year', 'Title'])).toEqual({ fields: ['Year', 'Title'] });
  });

  it('serves the first of its fields, best alone', () => {
    const composite = { type: 'Note', fields: {}, indexes: [{ fields: ['Year', 'Title'] }] };
    expect(indexFor(composite, 'Year')).toBe(composite.indexes[0]);
    expect(indexFor(composite, 'Title')).toBeUndefined();
    const both = { ...composite, indexes: [...composite.indexes, { field: 'Year' }] };
    expect(indexFor(both, 'Year')).toEqual({ field: 'Year' });
  });

  it('of timestamps alone is not unique', () => {
    expect(canBeUnique(chosen('Timestamp'))).toBe(false);
    expect(canBeUnique(chosen('Year', 'Timestamp'))).toBe(true);
  });

  it.each([
    [[], 'without reading every node'],
    [['Year'], 'a value or a range of Year, and sorts, groups and counts by it'],
    [['Year', 'Title'], 'one value of Year, and among these by a value or a range of Title'],
    [['Isbn', 'Year', 'Title'], 'one value of Isbn and Year, and among these'],
    [['Tags'], 'whose Tags has a certain item'],
    [['Shop'], 'whose Shop is near a point'],
    [['Cover'], 'by the whole value of Cover'],
    [['Timestamp'], 'without an index'],
  ])('over %j says what it is good for', (names, purpose) => {
    expect(purposeOf(chosen(...names))).toContain(purpose);
  });
});
