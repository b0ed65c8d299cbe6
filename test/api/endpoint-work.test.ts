import { afterAll, beforeAll, expect, test } from 'vitest';
import { People } from '../support/people.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';

const ECHO = `export default async function ({ body, log, notFound }: Scope<{ word: string }>) {
  if (body.word === 'none') return notFound('There is no such word.');
  if (body.word === 'bad') throw new Error('inner words');
  if (body.word === 'loud') log.info('heard', { word: body.word });
  return body.word;
}
`;

let people: People;
beforeAll(async () => {
  people = await People.start();
  await people.add('ada');
  await send('PUT', '/api/schema', LIBRARY_SCHEMA);
  await send('POST', '/api/endpoints/create', { name: 'words/echo', code: ECHO });
});
afterAll(() => people[Symbol.asyncDispose]());

const send = (method: string, path: string, body?: unknown) =>
  people.as('admin', method, path, body);
const runDraft = (code: string, more: object = {}) =>
  send('POST', '/api/build/run-draft', { name: 'words/echo', code, ...more });

async function calls(name = 'words/echo') {
  const { json } = await send('GET', `/api/build/endpoint-calls/${name}`);
  return Object(json).items as readonly Record<string, unknown>[];
}

test('the last calls say who, status, time, size, and which lines they logged', async () => {
  expect(await calls()).toEqual([]);
  for (const word of ['loud', 'none', 'bad']) {
    await people.as('ada', 'POST', '/api/endpoints/run/words/echo', { word });
  }
  await send('POST', '/api/endpoints/run/words/echo', { word: 7 });
  const ada = expect.objectContaining({ name: 'ada' });
  const traceId = expect.any(String);
  const trace = expect.any(String);
  const shared = {
    trace,
    at: expect.any(String),
    ms: expect.any(Number),
    kind: 'call',
    run: null,
    traceId,
  };
  const [invalid, bad, none, loud] = await calls();
  expect(invalid).toMatchObject({ user: { name: 'admin' }, status: 400, code: 'invalid_request' });
  expect(bad).toMatchObject({ user: ada, status: 500, code: 'endpoint_failed' });
  expect(none).toEqual({ ...shared, user: ada, status: 404, code: 'not_found', bytes: 0 });
  expect(loud).toMatchObject({ user: ada, status: 200, code: null, bytes: '"loud"'.length });
  const logged = await send('GET', '/api/endpoints/logs?endpoint=words/echo');
  const runs = Object(logged.json).items.map((line: { run: number }) => line.run);
  expect(runs).toEqual([bad?.['run'], loud?.['run']]);
});

test('only so many calls are kept', async () => {
  for (let n = 0; n < 55; n++) {
    await send('POST', '/api/endpoints/run/words/echo', { word: 'x'.repeat(n) });
  }
  const sizes = (await calls()).map(({ bytes }) => bytes);
  expect(sizes).toEqual(Array.from({ length: 50 }, (_, i) => 56 - i));
});

test('calls from endpoints are told apart', async () => {
  const code = "export default ({ run }: Scope) => run('words/echo', { word: 'inner' });\n";
  await send('POST', '/api/endpoints/create', { name: 'words/outer', code });
  await send('POST', '/api/endpoints/run/words/outer');
  expect((await calls())[0]).toMatchObject({ kind: 'nested', user: { name: 'admin' } });
  expect((await calls('words/outer'))[0]).toMatchObject({ kind: 'call' });
});

test('a draft runs without being saved, and is told among the calls', async () => {
  const draft = ECHO.replace('return body.word;', 'return body.word.toUpperCase();');
  const ran = await runDraft(draft, { body: { word: 'dog' } });
  expect(ran).toMatchObject({
    status: 200,
    json: { status: 200, body: 'DOG', error: null, ms: expect.any(Number) },
  });
  expect((await calls())[0]).toMatchObject({ kind: 'draft', status: 200, bytes: 5 });
  const saved = await send('POST', '/api/endpoints/run/words/echo', { word: 'dog' });
  expect(saved.json).toBe('dog');
  const { json } = await send('GET', '/api/endpoints/words/echo');
  expect(json).toMatchObject({ version: 1, code: ECHO });
});

test('a draft that fails tells its error, and where it threw', async () => {
  const { json } = await runDraft(ECHO, { body: { word: 'bad' } });
  expect(json).toMatchObject({
    status: 500,
    body: null,
    error: {
      code: 'endpoint_failed',
      message: expect.stringContaining('inner words'),
      details: { line: 3 },
    },
  });
  expect((await runDraft(ECHO, { body: {} })).json).toMatchObject({
    status: 400,
    error: { code: 'invalid_request', details: { fields: [{ path: 'word' }] } },
  });
});

test('a draft changes nothing', async () => {
  const code =
    "export default ({ graph }: Scope) => graph.addOrUpdate('Book', 'b9', { Title: 'T' });\n";
  expect((await runDraft(code)).json).toMatchObject({
    error: { message: expect.stringContaining('only tests the code') },
  });
  const { json } = await send('POST', '/api/node/query', { type: 'Book' });
  expect(json).toMatchObject({ total: 0 });
});

test('a draft that does not compile is refused with its diagnostics', async () => {
  expect(await runDraft('export default ({ nothing }: Scope) => nothing;\n')).toMatchObject({
    status: 422,
    json: { error: { code: 'endpoint_not_compiled', details: { diagnostics: [{ line: 1 }] } } },
  });
});

test('a draft has a name that an endpoint may have, which need not exist', async () => {
  const code = 'export default () => 1;\n';
  expect((await runDraft(code, { name: 'not/there' })).json).toMatchObject({ body: 1 });
  expect(await runDraft(code, { name: 'system/search' })).toMatchObject({ status: 400 });
  expect((await send('GET', '/api/build/endpoint-calls/not/there')).status).toBe(404);
  const asAda = await people.as('ada', 'POST', '/api/build/run-draft', { name: 'a', code });
  expect(asAda.status).toBe(403);
});

test('the types of an endpoint are told, of a schema of zod, too', async () => {
  const typed = await send('GET', '/api/build/endpoint-types/words/echo');
  expect(typed.json).toEqual({
    input: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
    output: { type: 'string' },
  });
  const code = 'export const input = z.object({ n: z.int().max(3) });\nexport default () => {};\n';
  await send('POST', '/api/endpoints/create', { name: 'words/zod', code });
  const { json } = await send('GET', '/api/build/endpoint-types/words/zod');
  expect(json).toMatchObject({ input: { properties: { n: { maximum: 3 } } }, output: null });
  expect((await send('GET', '/api/build/endpoint-types/none')).status).toBe(404);
});
