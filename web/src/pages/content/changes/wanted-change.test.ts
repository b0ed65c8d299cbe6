import { expect, test } from 'vitest';
import { deedsOf, schemaChangeOf } from './wanted-change.ts';

const BOOK = { type: 'Book', key: 'Isbn', fields: { Title: 'String' } };

test('a key is only renamed, and only fields of nodes get another type', () => {
  expect(deedsOf('node', BOOK, '')).toEqual(['rename', 'drop']);
  expect(deedsOf('node', BOOK, 'Isbn')).toEqual(['rename']);
  expect(deedsOf('node', BOOK, 'Title')).toEqual(['rename', 'retype', 'drop']);
  expect(deedsOf('edge', { type: 'Cites' }, 'Page')).toEqual(['rename', 'drop']);
});

test.each([
  ['node', { deed: 'rename', field: '', to: ' Work ' }, { rename: { type: 'Book', to: 'Work' } }],
  [
    'edge',
    { deed: 'rename', field: 'Title', to: 'Name' },
    { rename: { edge: 'Book', field: 'Title', to: 'Name' } },
  ],
  ['node', { deed: 'drop', field: 'Title', to: 'x' }, { drop: { type: 'Book', field: 'Title' } }],
  [
    'node',
    { deed: 'retype', field: 'Title', to: 'Int[]' },
    { retype: { type: 'Book', field: 'Title', to: 'Int[]' } },
  ],
] as const)('a %s: %j is sent as %j', (kind, wanted, change) => {
  expect(schemaChangeOf(kind, BOOK, wanted)).toEqual(change);
});

test.each([
  { deed: 'rename', field: '', to: ' ' },
  { deed: 'rename', field: '', to: 'Book' },
  { deed: 'rename', field: 'Title', to: 'Title' },
  { deed: 'retype', field: 'Title', to: 'String' },
  { deed: 'retype', field: 'Title', to: 'Text' },
  { deed: 'retype', field: '', to: 'Int' },
] as const)('%j changes nothing, and is not sent', (wanted) => {
  expect(schemaChangeOf('node', BOOK, wanted)).toBeUndefined();
});
