import { afterAll, beforeAll, expect, test } from 'vitest';
import { runTrellis } from '../support/command-line.ts';
import { valueAt } from '../support/http-client.ts';
import { People } from '../support/people.ts';
import { untilIndexed } from '../support/search-index.ts';
import { temporaryFolder } from '../support/trellis-process.ts';

let people: People;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  people = await People.start();
  await people.as('admin', 'PUT', '/api/schema', {
    nodes: [{ type: 'Note', key: 'Name', fields: { Text: 'String' } }],
    edges: [],
  });
});
afterAll(async () => {
  await people[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

function search(args: readonly string[], input?: string) {
  const { server, token } = people.workspace;
  return runTrellis(['search', ...args], { home: folder.path, server: server.url, token, input });
}

test('settings are printed as they are taken, and what is wrong in them is named', async () => {
  const { stdout } = await search(['settings', 'get']);
  const settings = JSON.parse(stdout);
  expect(settings.types.Note.fields.Text).toEqual({ text: { boost: 1 } });
  settings.types.Note.language = 'en';
  const set = await search(['settings', 'set', '-'], JSON.stringify(settings));
  expect([set.code, set.stderr]).toEqual([0, '1 types can be searched.\n']);
  expect(JSON.parse((await search(['settings', 'get', '--json'])).stdout)).toEqual(settings);
  const wrong = await search(['settings', 'set', '-'], '{"types":{"Note":{"fields":1}}}');
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('types.Note.fields')]);
  const unknown = await search(['settings', 'set', '-'], '{"types":{"Nota":{"fields":{}}}}');
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('Note')]);
});

test('the status tells how far the index is', async () => {
  await expect
    .poll(async () => (await search(['status'])).stdout)
    .toMatch(/^Everything up to the sequence \d+ can be found\.\n0 documents, /);
  expect(JSON.parse((await search(['status', '--json'])).stdout)).toHaveProperty('rebuild');
});

test('the status tells of vectors, and of what waits for one', async () => {
  const fields = { Text: { vector: { model: 'small' } } };
  await search(['settings', 'set', '-'], JSON.stringify({ types: { Note: { fields } } }));
  await expect
    .poll(async () => (await search(['status'])).stdout)
    .toMatch(/\nNote\.Text: 0 vectors by small\.\n$/);
});

test('synonyms are set, added to, shown and listed', async () => {
  const set = ['synonyms', 'set', 'Car', '--lang', 'en', '--synonyms', 'automobile', 'motor car'];
  expect(await search(set)).toMatchObject({
    code: 0,
    stdout: 'Synonyms: automobile, motor car\n',
    stderr: 'Stored for car in en.\n',
  });
  await search(['synonyms', 'set', 'car', '--lang', 'en', '--blocked', 'cart', '--add']);
  const get = await search(['synonyms', 'get', 'car', '--lang', 'en']);
  expect(get.stdout).toBe('Synonyms: automobile, motor car\nBlocked: cart\n');
  const lists = '{"Synonyms":[],"Alternates":["colour"],"Blocked":[]}';
  expect((await search(['synonyms', 'set', 'color', '--file', '-'], lists)).code).toBe(0);
  expect((await search(['synonyms', 'list'])).stdout).toMatch(/^TERM +LINKED TO\ncolor +colour\n$/);
  const listed = await search(['synonyms', 'list', 'CA', '--lang', 'en', '--json']);
  expect(JSON.parse(listed.stdout)).toEqual([
    ['car', 'automobile'],
    ['car', 'motor car'],
  ]);
});

test.each([
  [['synonyms', 'get', 'car', '--tolerance', 'high'], 2, 'not a number'],
  [['synonyms', 'get', 'car', '--lang', 'xx'], 1, 'It is one of --, ar'],
  [['synonyms', 'set', 'car', '--file', '-', '--blocked', 'x'], 2, 'leave the others out'],
])('%j fails with a way out', async (args, code, told) => {
  const answer = await search(args, '{}');
  expect([answer.code, answer.stderr]).toEqual([code, expect.stringContaining(told)]);
});

test('similar nodes are listed, the most similar first', async () => {
  await people.as('admin', 'PUT', '/api/schema', {
    nodes: [{ type: 'Point', key: 'Name', fields: { At: 'Float[]' } }],
    edges: [],
  });
  const point = (key: string, ...At: number[]) => ({
    op: 'addOrUpdate',
    type: 'Point',
    key,
    fields: { At },
  });
  const operations = [point('east', 1, 0), point('near', 4, 3), point('north', 0, 1)];
  await people.as('admin', 'POST', '/api/ingest', { operations });
  const types = { Point: { fields: { At: { vector: {} } } } };
  await search(['settings', 'set', '-'], JSON.stringify({ types }));
  await untilIndexed(people.workspace.http, people.token('admin'));
  const { json } = await people.as('admin', 'POST', '/api/node/query', { type: 'Point' });
  const nodes = valueAt(json, 'items') as { UID: string; Id: string }[];
  const uid = (key: string) => nodes.find(({ Id }) => Id === key)?.UID ?? '';
  const listed = await search(['similar', uid('east')]);
  expect([listed.code, listed.stdout.split('\n').map((line) => line.split(/ +/))]).toEqual([
    0,
    [
      ['SIMILARITY', 'TYPE', 'KEY', 'UID'],
      ['0.8000', 'Point', 'near', uid('near')],
      ['0.0000', 'Point', 'north', uid('north')],
      [''],
    ],
  ]);
  const one = await search(['similar', uid('east'), '--count', '1', '--types', 'Point', '--json']);
  expect(JSON.parse(one.stdout)).toMatchObject([{ node: { Id: 'near' } }]);
  expect((await search(['similar', uid('east'), '--count', 'x'])).code).toBe(2);
  const unknown = await search(['similar', '1111111111111111111111']);
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('no such node')]);
});
