import { afterAll, beforeAll, expect, test } from 'vitest';
import { People } from '../support/people.ts';

const PATH = '/api/search/settings';
const DEFAULTS = {
  types: {
    Note: {
      searchable: true,
      language: 'auto',
      fields: { Name: { text: { boost: 1 } }, Text: { text: { boost: 1 } } },
    },
  },
};

let people: People;
beforeAll(async () => {
  people = await People.start();
  await people.as('admin', 'PUT', '/api/schema', {
    nodes: [
      { type: 'Note', key: 'Name', fields: { Text: 'String', Pages: 'Int', Place: 'Float[]' } },
    ],
    edges: [],
  });
});
afterAll(() => people[Symbol.asyncDispose]());

const errorOf = ({ json }: { readonly json: unknown }) => Object(Object(json).error);

test('until somebody has said something, every text and the key can be searched', async () => {
  expect((await people.as('admin', 'GET', PATH)).json).toEqual(DEFAULTS);
});

test('what is put holds, with what was left out filled in, and is in the audit', async () => {
  const put = await people.as('admin', 'PUT', PATH, {
    types: { Note: { language: 'en', fields: { Text: { text: {} }, Pages: { facet: true } } } },
  });
  const settings = {
    types: {
      Note: {
        searchable: true,
        language: 'en',
        fields: { Text: { text: { boost: 1 } }, Pages: { facet: true } },
      },
    },
  };
  expect([put.status, put.json]).toEqual([200, settings]);
  expect((await people.as('admin', 'GET', PATH)).json).toEqual(settings);
  const audit = await people.as('admin', 'GET', '/api/audit?action=search.settings-changed');
  expect(Object(audit.json).items[0]).toMatchObject({ details: { types: ['Note'] } });
});

test.each([
  [{ Nota: { fields: {} } }, 'types.Nota'],
  [{ Note: { fields: { Txt: { text: {} } } } }, 'types.Note.fields.Txt'],
  [{ Note: { fields: { Pages: { text: {} } } } }, 'types.Note.fields.Pages.text'],
  [{ Note: { language: 'xx', fields: {} } }, 'types.Note.language'],
  [{ Note: { fields: { Text: { text: { boost: 0 } } } } }, 'types.Note.fields.Text.text.boost'],
  [{ Note: { fields: { Pages: { vector: {} } } } }, 'types.Note.fields.Pages.vector'],
  [
    { Note: { fields: { Place: { vector: { chunk: 500 } } } } },
    'types.Note.fields.Place.vector.chunk',
  ],
  [{ Note: { fields: { Text: { vector: { chunk: 5 } } } } }, 'types.Note.fields.Text.vector.chunk'],
  // Nobody embeds it, as nobody has named a provider.
  [{ Note: { fields: { Text: { vector: {} } } } }, 'types.Note.fields.Text.vector.model'],
])('%j is refused, with where', async (types, path) => {
  const answer = await people.as('admin', 'PUT', PATH, { types });
  expect(answer.status).toBe(400);
  expect(errorOf(answer)).toMatchObject({
    code: 'invalid_request',
    details: { fields: [{ path }] },
  });
});

test('vectors come with the nodes, or from a model; the index counts them', async () => {
  const fields = { Text: { vector: { model: 'small' } }, Place: { vector: {} } };
  const put = await people.as('admin', 'PUT', PATH, { types: { Note: { fields } } });
  expect(Object(put.json).types.Note.fields).toEqual({
    Text: { vector: { model: 'small', chunk: 2000 } },
    Place: { vector: { model: 'external' } },
  });
  const note = (key: string, Place: number[]) => ({
    op: 'addOrUpdate',
    type: 'Note',
    key,
    fields: { Text: `About ${key}.`, Place },
  });
  const operations = [note('a', [1, 2]), note('b', [2, 1]), note('c', [1, 2, 3])];
  await people.as('admin', 'POST', '/api/ingest', { operations });
  const index = async () => Object((await people.as('admin', 'GET', '/api/search/index')).json);
  const counted = { vectors: 2, dimensions: 2, unfit: 1 };
  await expect.poll(index).toMatchObject({
    vectors: [
      { type: 'Note', field: 'Place', model: 'external', ...counted },
      { type: 'Note', field: 'Text', model: 'small', vectors: 0, dimensions: null, unfit: 0 },
    ],
    texts: { waiting: 3, refused: 0 },
  });
  const without = { types: { Note: { fields: { Text: { text: {} } } } } };
  await people.as('admin', 'PUT', PATH, without);
  await expect.poll(index).toMatchObject({ vectors: [], texts: { waiting: 0, refused: 0 } });
});

test('the index says how far it is, and catches up with what is written', async () => {
  const operations = [{ op: 'addOrUpdate', type: 'Note', key: 'n', fields: { Text: 'sailing' } }];
  const { json } = await people.as('admin', 'POST', '/api/ingest', { operations });
  const index = async () => Object((await people.as('admin', 'GET', '/api/search/index')).json);
  await expect
    .poll(async () => (await index()).sequence)
    .toBeGreaterThanOrEqual(Object(json).sequence);
  expect(await index()).toMatchObject({ documents: 4, rebuild: null });
});
