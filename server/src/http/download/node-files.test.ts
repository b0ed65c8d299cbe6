import { expect, it } from 'vitest';
import { fileNames } from './node-files.ts';

it('names the files of a package apart, on every system', () => {
  expect(fileNames(['Book', 'Author', 'BOOK', 'book', 'Con', '_User'])).toEqual([
    'Book.csv',
    'Author.csv',
    'BOOK-2.csv',
    'book-3.csv',
    'Con_.csv',
    '_User.csv',
  ]);
});
