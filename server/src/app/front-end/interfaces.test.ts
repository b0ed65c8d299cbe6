import { buffer } from 'node:stream/consumers';
import { Problem } from '#base/problem.ts';
import { FRONT_END_BYTES_MAX, FRONT_END_FILES_MAX } from '@trellis/contract/limits.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { readInterfaceZip } from './interfaces.ts';

const PAGE = '<!doctype html><title>ours</title>';

type Contents = Readonly<Record<string, string | Buffer>>;

function zipOf(contents: Contents, options: { mode?: number; compress?: boolean } = {}) {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(contents)) {
    zip.addBuffer(Buffer.from(content), name, options);
  }
  zip.end();
  return buffer(zip.outputStream);
}

/** Every occurrence of a text, by one that is as long: what no zip program writes. */
function replaced(zip: Buffer, from: string, to: string): Buffer {
  return Buffer.from(zip.toString('latin1').replaceAll(from, to), 'latin1');
}

/** Changes the entry of a file in the list at the end: the number of so many bytes there. */
function withNumber(zip: Buffer, name: string, offset: number, bytes: number, value: number) {
  const changed = Buffer.from(zip);
  const entry = changed.lastIndexOf(name) - 46;
  changed.writeUIntLE(value, entry + offset, bytes);
  return changed;
}

const messageOf = async (zip: Promise<Buffer> | Buffer): Promise<string> => {
  try {
    await readInterfaceZip(await zip);
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid_interface') return error.message;
    throw error;
  }
  return 'good';
};

it('is its files, their names as a URL has them, without what is hidden', async () => {
  const zip = await zipOf({
    'index.html': PAGE,
    'b/é ?.js': 'b',
    'a..b.js': 'a',
    '.env': 'secret',
    'b/.git/config': 'secret',
    '__MACOSX/index.html': 'x',
    'empty.css': '',
  });
  const files = await readInterfaceZip(zip);
  expect([...files.keys()]).toEqual([
    '/a..b.js',
    '/b/%C3%A9%20%3F.js',
    '/empty.css',
    '/index.html',
  ]);
  expect(files.get('/index.html')?.bytes.toString()).toBe(PAGE);
  const stored = await readInterfaceZip(await zipOf({ 'index.html': PAGE }, { compress: false }));
  expect(stored.get('/index.html')).toEqual(files.get('/index.html'));
});

it('may have a dot in front of each name', async () => {
  const zip = replaced(await zipOf({ 'xxindex.html': PAGE, 'xxa/b.js': 'b' }), 'xx', './');
  expect([...(await readInterfaceZip(zip)).keys()]).toEqual(['/a/b.js', '/index.html']);
});

it.each<[string, RegExp, () => Promise<Buffer> | Buffer]>([
  ['no zip', /cannot be read/, () => Buffer.from('<!doctype html>')],
  ['nothing', /cannot be read/, () => Buffer.alloc(0)],
  ['a zip without files', /no index\.html/, () => zipOf({})],
  ['a zip without a page', /no index\.html/, () => zipOf({ 'a.js': '' })],
  [
    'half a zip',
    /cannot be read/,
    async () => (await zipOf({ 'index.html': PAGE })).subarray(0, 100),
  ],
  [
    'a way out',
    /invalid relative path/,
    async () => replaced(await zipOf({ 'index.html': PAGE, 'aa/evil.js': '' }), 'aa/', '../'),
  ],
  [
    'a way out in the middle',
    /invalid relative path/,
    async () => replaced(await zipOf({ 'index.html': PAGE, 'a/bb/evil.js': '' }), '/bb/', '/../'),
  ],
  [
    'an absolute path',
    /absolute path/,
    async () => replaced(await zipOf({ 'index.html': PAGE, 'a/evil.js': '' }), 'a/evil', '/aevil'),
  ],
  [
    'the way of another system',
    /invalid characters/,
    async () => replaced(await zipOf({ 'index.html': PAGE, 'a/evil.js': '' }), 'a/evil', 'a\\evil'),
  ],
  [
    'a name without an end',
    /no name of a file/,
    async () => replaced(await zipOf({ 'index.html': PAGE, 'abc/evil.js': '' }), 'abc/', 'ab//'),
  ],
  ['a link', /is a link/, () => zipOf({ 'index.html': '../secret' }, { mode: 0o120_777 })],
  ['files of the server', /belongs to the server/, () => zipOf({ 'trellis/index.html': PAGE })],
  ['files of the API', /belongs to the server/, () => zipOf({ 'api/index.html': PAGE })],
  [
    'an encrypted file',
    /is encrypted/,
    async () => withNumber(await zipOf({ 'index.html': PAGE }), 'index.html', 8, 2, 1),
  ],
  [
    'another compression',
    /compressed in another way/,
    async () => withNumber(await zipOf({ 'index.html': PAGE }), 'index.html', 10, 2, 14),
  ],
  [
    'a damaged file',
    /is damaged/,
    async () => withNumber(await zipOf({ 'index.html': PAGE }), 'index.html', 16, 4, 7),
  ],
  [
    'a file twice',
    /twice/,
    async () => replaced(await zipOf({ 'index.html': PAGE, 'index.htmx': PAGE }), 'htmx', 'html'),
  ],
  [
    'too many files',
    /more than 2000 files/,
    () =>
      zipOf({
        'index.html': PAGE,
        ...Object.fromEntries(
          Array.from({ length: FRONT_END_FILES_MAX }, (_, i) => [`${i}.js`, '']),
        ),
      }),
  ],
  [
    'more than it says',
    /too many bytes/,
    async () => withNumber(await zipOf({ 'index.html': PAGE }), 'index.html', 24, 4, 5),
  ],
])('%s is refused', async (_, message, zip) => {
  expect(await messageOf(zip())).toMatch(message);
});

it('may hold as much as a front end may, and is not unpacked when it says that it holds more', async () => {
  const zip = await zipOf({ 'index.html': Buffer.alloc(FRONT_END_BYTES_MAX) });
  expect(zip.length).toBeLessThan(FRONT_END_BYTES_MAX / 500);
  expect((await readInterfaceZip(zip)).size).toBe(1);
  const tooMuch = withNumber(zip, 'index.html', 24, 4, FRONT_END_BYTES_MAX + 1);
  expect(await messageOf(tooMuch)).toMatch(/more than 2000 files and 67108864 bytes/);
});

it('with its files in one folder is told apart from one that has no page', async () => {
  const hint = (contents: Contents) =>
    zipOf(contents)
      .then(readInterfaceZip)
      .catch((error: Problem) => error.hint);
  expect(await hint({ 'dist/index.html': PAGE, 'dist/a.js': '' })).toContain('"dist"');
  expect(await hint({ 'dist/index.html': PAGE, 'a.js': '' })).toBeUndefined();
});

it('is read or refused, whatever is changed in it', async () => {
  const good = await zipOf({ 'index.html': PAGE.repeat(20), 'assets/a.js': 'let a;'.repeat(50) });
  const change = fc.tuple(fc.nat({ max: good.length - 1 }), fc.nat({ max: 255 }));
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      const zip = Buffer.from(good);
      for (const [at, byte] of changes) zip[at] = byte;
      expect(await messageOf(zip)).not.toBe('');
    }),
    { numRuns: 500 },
  );
});
