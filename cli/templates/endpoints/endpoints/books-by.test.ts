import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { testWorkspace } from '@trellis/endpoint/testing';
import * as booksBy from './books-by.ts';

const schema = JSON.parse(readFileSync(new URL('../schema.json', import.meta.url), 'utf8'));

test('gives the titles of the books of an author', async () => {
  const author = { type: 'Author', key: 'Frank Herbert' } as const;
  const book = { type: 'Book', key: '9780441172719' } as const;
  await using workspace = await testWorkspace({
    schema,
    nodes: [author, { ...book, fields: { Title: 'Dune', Year: 1965 } }],
    edges: [{ from: book, edge: 'WrittenBy', to: author }],
    users: [{ name: 'ada' }],
  });
  const asked = { user: 'ada', isReadOnly: true };
  const answer = await workspace.run(booksBy, { ...asked, body: { author: 'Frank Herbert' } });
  assert.deepEqual(answer, { status: 200, body: ['Dune'] });
  assert.equal((await workspace.run(booksBy, { ...asked, body: {} })).status, 400);
});
