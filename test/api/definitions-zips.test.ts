import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { eventsOf } from '../support/chat-scene.ts';
import { DefinitionsScene, IMPORT, MANIFEST, type Files } from '../support/definitions-scene.ts';
import { CODE } from '../support/every-definition.ts';
import { scale, seed } from '../support/scale.ts';
import { zipOf } from '../support/zip.ts';

let at: DefinitionsScene;
beforeAll(async () => {
  at = await DefinitionsScene.start();
});
afterAll(() => at[Symbol.asyncDispose]());

type Zip = Uint8Array<ArrayBuffer>;

const good = (files: Files = { 'endpoints/a.ts': CODE }): Promise<Zip> =>
  zipOf({ ...MANIFEST, ...files });
/** Every occurrence of a text, by one that is as long: what no zip program writes. */
const replaced = (zip: Zip, from: string, to: string): Zip =>
  Uint8Array.from(Buffer.from(Buffer.from(zip).toString('latin1').replaceAll(from, to), 'latin1'));
/** Changes the entry of a file in the list at the end: the number of so many bytes there. */
const withNumber = (zip: Zip, name: string, offset: number, bytes: number, value: number): Zip => {
  const changed = Buffer.from(zip);
  changed.writeUIntLE(value, changed.lastIndexOf(name) - 46 + offset, bytes);
  return Uint8Array.from(changed);
};
async function withLink(): Promise<Zip> {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from(MANIFEST['manifest.json']!), 'manifest.json');
  zip.addBuffer(Buffer.from('/etc/passwd'), 'endpoints/a.ts', { mode: 0o120_777 });
  zip.end();
  return Uint8Array.from(await buffer(zip.outputStream));
}
const count = async (): Promise<number> => (await at.ok('GET', '/api/endpoints?take=1')).total;

test.each<[string, RegExp, () => Promise<Zip> | Zip]>([
  ['nothing', /^not_a_zip/, () => new Uint8Array(0)],
  ['text', /^not_a_zip/, () => new TextEncoder().encode('export default 1;')],
  ['a gzip', /^not_a_zip/, () => new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0])],
  ['the beginning of a zip', /cannot be read/, () => new Uint8Array([0x50, 0x4b, 3, 4])],
  ['half a zip', /cannot be read/, async () => (await good()).slice(0, -80)],
  ['an empty zip', /no manifest\.json/, () => zipOf({})],
  ['any zip', /no manifest\.json/, () => zipOf({ 'index.html': '' })],
  [
    'another format',
    /format 2/,
    () => good({ 'manifest.json': '{"format": 2}', 'endpoints/a.ts': CODE }),
  ],
  ['a manifest that is none', /manifest\.json is not JSON/, () => good({ 'manifest.json': '{' })],
  [
    'a way out',
    /invalid relative path/,
    async () => replaced(await good({ 'endpoints/aa/b.ts': CODE }), '/aa/', '/../'),
  ],
  [
    'an absolute path',
    /absolute path/,
    async () => replaced(await good({ 'xendpoints/a.ts': CODE }), 'xend', '/end'),
  ],
  [
    'the way of another system',
    /invalid characters/,
    async () => replaced(await good({ 'endpoints/a.ts': CODE }), 'endpoints/', 'endpoints\\'),
  ],
  [
    'an empty name',
    /no name of a file/,
    async () => replaced(await good({ 'endpoints/aa/b.ts': CODE }), '/aa/', '/a//'),
  ],
  ['a very long name', /longer than 400/, () => good({ [`endpoints/${'a'.repeat(500)}.ts`]: '' })],
  ['a link', /is a link/, withLink],
  [
    'an encrypted file',
    /is encrypted/,
    async () => withNumber(await good(), 'endpoints/a.ts', 8, 2, 1),
  ],
  [
    'another compression',
    /compressed in another way/,
    async () => withNumber(await good(), 'endpoints/a.ts', 10, 2, 14),
  ],
  [
    'a damaged file',
    /is damaged/,
    async () => withNumber(await good(), 'endpoints/a.ts', 16, 4, 7),
  ],
  [
    'a file twice',
    /twice/,
    async () =>
      replaced(await good({ 'endpoints/a.ts': '', 'endpoints/b.ts': '' }), '/b.ts', '/a.ts'),
  ],
  [
    'more than it says',
    /too many bytes/,
    async () => withNumber(await good(), 'endpoints/a.ts', 24, 4, 5),
  ],
  ['a bomb', /more than 200 times/, () => good({ 'endpoints/a.ts': ' '.repeat(64 * 1024 * 1024) })],
  [
    'more than it may unpack to',
    /more than 20000 files and 134217728 bytes/,
    async () => withNumber(await good(), 'endpoints/a.ts', 24, 4, 134_217_729),
  ],
  [
    'too many files',
    /more than 20000 files/,
    async () => {
      const zip = new ZipFile();
      for (let i = 0; i < 20_001; i++) {
        zip.addBuffer(Buffer.alloc(0), `${i}.txt`, { compress: false });
      }
      zip.end();
      return Uint8Array.from(await buffer(zip.outputStream));
    },
  ],
  [
    'what is no text',
    /not text in UTF-8/,
    async () => {
      const zip = new ZipFile();
      zip.addBuffer(Buffer.from([0xc3, 0x28]), 'endpoints/a.ts');
      zip.end();
      return Uint8Array.from(await buffer(zip.outputStream));
    },
  ],
])('%s is refused before the stream opens', async (_, message, zip) => {
  const sent = await zip();
  const [status, told] = await at.refused(sent);
  expect(told).toMatch(message);
  expect(status).toBe(400);
  expect(told).toMatch(/^(?:not_a_zip|invalid_definitions): /);
  expect(await at.refused(sent, '?dryRun=true')).toEqual([status, told]);
});

describe('an upload', () => {
  const post = (body: NonNullable<RequestInit['body']>, headers: Record<string, string> = {}) =>
    at.send(`${IMPORT}?dryRun=true`, { method: 'POST', body, headers });
  const codeOf = async (answer: Response) => [
    answer.status,
    Object(Object(await answer.json()).error).code,
  ];

  test('of another content type is 400, whatever it is', async () => {
    const zip = await good();
    for (const type of ['application/json', 'text/plain', 'application/gzip', 'a', 'zip/zip']) {
      expect(await codeOf(await post(zip, { 'content-type': type }))).toEqual([400, 'not_a_zip']);
    }
    // A body without a type.
    expect(await codeOf(await post(new Blob([zip])))).toEqual([400, 'not_a_zip']);
    expect(await codeOf(await at.send(IMPORT, { method: 'POST' }))).toEqual([400, 'not_a_zip']);
  });

  test('may be the file of a form, and must be its only one', async () => {
    const form = new FormData();
    form.set('file', new Blob([await good()], { type: 'application/zip' }), 'definitions.zip');
    const answer = await post(form);
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const events = await Array.fromAsync(eventsOf(answer));
    expect(events.map(({ event }) => event)).toEqual(['log', 'result', 'done']);
    form.set('more', 'x');
    expect(await codeOf(await post(form))).toEqual([400, 'invalid_request']);
    const text = new FormData();
    text.set('file', new Blob(['x']), 'x.txt');
    expect(await codeOf(await post(text))).toEqual([400, 'not_a_zip']);
  });

  test('is not larger than it may be, however it comes', async () => {
    const tooLarge = new Blob([randomBytes(32 * 1024 * 1024 + 1)]);
    const headers = { 'content-type': 'application/zip' };
    expect(await codeOf(await post(tooLarge, headers))).toEqual([413, 'body_too_large']);
    const form = new FormData();
    form.set('file', tooLarge, 'definitions.zip');
    expect(await codeOf(await post(form))).toEqual([413, 'body_too_large']);
  });

  test('with another query is refused', async () => {
    for (const query of ['?mirror=yes', '?dryRun=1']) {
      expect((await at.refused(await good(), query))[0]).toBe(400);
    }
  });
});

test('the folder itself instead of what is in it is told apart', async () => {
  const zip = await zipOf({ 'ours/manifest.json': '{"format":1}', 'ours/schema.json': '{}' });
  const { error } = Object(await (await at.upload(zip)).json());
  expect(error.hint).toContain('"ours"');
});

test('absurd files are faults of their own, and leave nothing', async () => {
  const before = await count();
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  const { items, ignored } = await at.import({
    'schema.json': '[]',
    'synonyms/en.json': `{"a": ${deep}}`,
    'synonyms/xx.json': '{}',
    'synonyms/--.json': '{}',
    'tools/a b.json': '{"description": "d", "endpoint": "e"}',
    'agents/x.json': '{}',
    'agents/y.md': '',
    'endpoints/create.ts': CODE,
    'endpoints/.ts': CODE,
    'endpoints/__proto__.ts': CODE,
    'type-access.json': '{"types": {"__proto__": {}}}',
    'golden-sets/x.json': 'null',
    'search-settings.json': '{"types": {"Nothing": {"fields": {}}}}',
    'endpoints/a.js': '',
    'con.txt': '',
  });
  const done = items.filter(({ action }) => action !== 'failed');
  expect(done.map(({ kind, action }) => [kind, action])).toEqual([['type-access', 'unchanged']]);
  expect(items.map(({ error }) => error?.code)).not.toContain('internal_error');
  expect(ignored).toEqual(['con.txt', 'endpoints/a.js']);
  expect(await count()).toBe(before);
});

test('closing the connection does not stop an import', async () => {
  const files = Array.from({ length: 12 }, (_, i) => [`endpoints/left/${i}.ts`, CODE]);
  const zip = await good(Object.fromEntries(files));
  const { hostname, port } = new URL(at.workspace.server.url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(
    `POST ${IMPORT} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${at.workspace.token}\r\n` +
      `content-type: application/zip\r\ncontent-length: ${zip.length}\r\n\r\n`,
  );
  socket.write(zip);
  const [head] = await once(socket, 'data');
  expect(String(head)).toContain('text/event-stream');
  // One that is asked for meanwhile is refused before it begins.
  expect((await at.refused(zip))[1]).toContain('import_running');
  socket.destroy();
  const running = async () =>
    (await at.ok('GET', '/api/jobs?kind=definitions-import&state=running')).total;
  await expect.poll(running).toBe(0);
  expect((await at.import(zip)).totals).toMatchObject({ unchanged: 12 });
});

test('a zip is imported or refused, whatever is changed in it', async () => {
  const zip = await good({ 'synonyms/en.json': '{"a": {"Synonyms": ["b"]}}', 'schema.json': '{}' });
  const change = fc.tuple(fc.nat({ max: zip.length - 1 }), fc.nat({ max: 255 }));
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      const changed = Uint8Array.from(zip);
      for (const [place, byte] of changes) changed[place] = byte;
      const answer = await at.upload(changed, '?dryRun=true');
      const text = await answer.text();
      expect([200, 400], text).toContain(answer.status);
      expect(text).not.toContain('internal_error');
    }),
    { numRuns: scale({ sample: 100, soak: 3_000 }), seed: seed() },
  );
});
