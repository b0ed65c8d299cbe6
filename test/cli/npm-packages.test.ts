import { execFile } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { runTrellis } from '../support/command-line.ts';
import { NpmFolder } from '../support/npm-folder.ts';
import { temporaryFolder } from '../support/trellis-process.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';

const PACKAGES = ['date-fns', 'zod', 'marked', 'papaparse', '@types/papaparse', 'csv-parse'];

let workspace: TestWorkspace;
let folder: NpmFolder;

beforeAll(async () => {
  workspace = await startWorkspace();
  folder = await NpmFolder.with(PACKAGES);
});
afterAll(async () => {
  await folder?.[Symbol.asyncDispose]();
  await workspace?.[Symbol.asyncDispose]();
});

const trellis = (...args: string[]) =>
  runTrellis(args, { home: folder.path, server: workspace.server.url, token: workspace.token });
const push = (...args: string[]) => trellis('push', folder.path, ...args);

async function call(name: string, body: unknown = {}) {
  const { http, token } = workspace;
  const path = `/api/endpoints/run/${name}`;
  const { status, json } = await http.send({ method: 'POST', path, token, body });
  return { status, json };
}

const ENDPOINTS = {
  'lib/dates.ts': `import { addDays, format } from 'date-fns';
export const due = (day: string): string => format(addDays(new Date(day), 14), 'yyyy-MM-dd');
`,
  'endpoints/due.ts': `import { due } from '#lib/dates.ts';
export default async ({ body }: Scope<{ day: string }>) => ({ due: due(body.day) });
`,
  'endpoints/checked.ts': `import * as v from 'zod';
const shape = v.object({ pages: v.number().int() });
export default async ({ body }: Scope<unknown>) => shape.safeParse(body).success;
`,
  'endpoints/html.ts': `import { marked } from 'marked';
export default async ({ body }: Scope<{ text: string }>) => marked.parse(body.text, { async: false });
`,
  'endpoints/rows.ts': `import { parse } from 'csv-parse/browser/esm/sync';
import Papa, { unparse } from 'papaparse';
export default async ({ body }: Scope<{ text: string }>) => {
  const read: unknown = parse(body.text, { columns: true });
  const { data } = Papa.parse<Record<string, string>>(body.text, { header: true });
  return { read, data, text: unparse(data, { newline: '\\n' }) };
};
`,
};

test('a push bundles what code imports of npm, and tells size and license of each', async () => {
  await folder.write(ENDPOINTS);
  const planned = await push('--dry-run');
  expect([planned.code, planned.stderr]).toEqual([0, expect.stringContaining('Package date-fns')]);
  const { code, stdout, stderr } = await push('--json');
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  expect(stderr).toMatch(/^Package zod \d+\.\d+\.\d+, MIT: \d+ kB of code, \d+ kB of types\.$/m);
  expect(stderr).toMatch(
    /^Package csv-parse\/browser\/esm\/sync of csv-parse \d+\.\d+\.\d+, MIT: /m,
  );
  const { packages, items } = JSON.parse(stdout);
  const names = ['csv-parse/browser/esm/sync', 'date-fns', 'marked', 'papaparse', 'zod'];
  expect(packages.map(({ specifier }: { specifier: string }) => specifier)).toEqual(names);
  expect(items).toContainEqual(expect.objectContaining({ kind: 'package', name: 'date-fns' }));
});

test('endpoints and modules run with them', async () => {
  expect(await call('due', { day: '2026-02-20' })).toEqual({
    status: 200,
    json: { due: '2026-03-06' },
  });
  expect(await call('checked', { pages: 3 })).toEqual({ status: 200, json: true });
  expect(await call('checked', { pages: '3' })).toEqual({ status: 200, json: false });
  expect(await call('html', { text: '# A *b* <!-- c -->' })).toEqual({
    status: 200,
    json: '<h1>A <em>b</em> <!-- c --></h1>\n',
  });
  const row = { a: '1', b: 'x, y' };
  expect(await call('rows', { text: 'a,b\n1,"x, y"' })).toEqual({
    status: 200,
    json: { read: [row], data: [row], text: 'a,b\n1,"x, y"' },
  });
});

test('their types are checked with the code', async () => {
  const wrong =
    "import { addDays } from 'date-fns';\nexport default async () => addDays('x', true);\n";
  await folder.write({ 'endpoints/wrong.ts': wrong });
  const { code, stderr } = await push();
  expect([code, stderr]).toEqual([1, expect.stringContaining("'boolean' is not assignable")]);
  await rm(join(folder.path, 'endpoints/wrong.ts'));
});

test('a second push changes nothing, nor does one of what was pulled elsewhere', async () => {
  const again = JSON.parse((await push('--json')).stdout);
  expect(again.totals).toMatchObject({ created: 0, changed: 0, failed: 0 });
  await using other = await temporaryFolder();
  const pulled = join(other.path, 'pulled');
  expect(await trellis('pull', pulled)).toMatchObject({ code: 0 });
  expect(await readdir(join(pulled, 'npm'))).toContain('date-fns.json');
  const sources = async (name: string) => {
    const file = JSON.parse(await readFile(join(pulled, `npm/${name}.json`), 'utf8'));
    return Object(JSON.parse(file.map));
  };
  const known = await sources('date-fns');
  const at = known.sources.indexOf('node_modules/date-fns/addDays.js');
  expect(known.sourcesContent[at]).toContain('export function addDays');
  // Of zod they are too large.
  expect(await sources('zod')).not.toHaveProperty('sourcesContent');
  const back = await trellis('push', pulled, '--json');
  expect(JSON.parse(back.stdout)).toMatchObject({
    packages: [],
    totals: { changed: 0, failed: 0 },
  });
});

test('a pull into the folder of the author leaves packages to the lock file', async () => {
  expect(await trellis('pull', folder.path, '--force')).toMatchObject({ code: 0 });
  expect(await readdir(folder.path)).not.toContain('npm');
  const after = JSON.parse((await push('--json')).stdout);
  expect(after.totals).toMatchObject({ created: 0, changed: 0, failed: 0 });
});

test('an error in a package names the file of its author', async () => {
  const code = `import { parse } from 'broken-parser';
export default async () => parse('x');
`;
  const parser = `// A comment, which the bundle does not have.

export function parse(text) {
  throw new TypeError('no ' + text);
}
`;
  await folder.add('broken-parser', { 'index.js': parser });
  await folder.write({ 'endpoints/broken.ts': code });
  expect(await push()).toMatchObject({ code: 0 });
  const place =
    'node_modules/broken-parser/index.js, line 4, column 9; called from line 2, column 28';
  expect(await call('broken')).toMatchObject({
    status: 500,
    json: { error: { message: `TypeError: no x (${place})` } },
  });
  const { http, token } = workspace;
  const path = '/api/endpoints/logs?endpoint=broken&level=error';
  const { items } = Object((await http.send({ path, token })).json);
  expect(items[0].data.guestStack).toContain('(node_modules/broken-parser/index.js:4:9)');
});

test('a package that asks for the global object by Function() is given it', async () => {
  await using other = await NpmFolder.with(['lodash']);
  const code = `import groupBy from 'lodash/groupBy';
import { a } from 'asks-globally';
export default async () => [(groupBy as (...all: unknown[]) => unknown)([1, 2, 3], (n: number) => n % 2), a];
`;
  await other.add('asks-globally', {
    'index.js': `export const a = [
  new Function('return this')() === globalThis, "Function('return this')()".length,
  (Function)('return this')().Function('return this')() === globalThis,
];
`,
  });
  await other.write({ 'endpoints/grouped.ts': code });
  expect(await trellis('push', other.path)).toMatchObject({ code: 0 });
  expect(await call('grouped')).toEqual({
    status: 200,
    json: [{ 0: [2], 1: [1, 3] }, [true, 25, true]],
  });
});

test('a package that does harm does it to its own endpoint alone', async () => {
  await using other = await NpmFolder.with([]);
  await other.add('poisons', {
    'index.js': `Object.prototype.extra = 'poison';
Array.prototype.map = () => 'poison';
JSON.stringify = () => '"poison"';
export const poisoned = [1].map(String);
`,
  });
  await other.add('looks', {
    'index.js': `export const seen = [typeof process, typeof window, typeof console, typeof Buffer];
export const secret = () => process.env.TRELLIS_TOKEN;
`,
  });
  await other.add('grows', {
    'index.js':
      'export const grow = () => { const all = []; for (;;) all.push(new Array(1e6).fill(all.length)); };\n',
  });
  await other.write({
    'endpoints/poisoned.ts':
      "import { poisoned } from 'poisons';\nexport default async () => ({ poisoned });\n",
    'endpoints/clean.ts':
      'export default async () => [[1, 2].map((n) => n + 1), Object.keys({})];\n',
    'endpoints/looking.ts':
      "import { seen } from 'looks';\nexport default async () => seen as string[];\n",
    'endpoints/secret.ts':
      "import { secret } from 'looks';\nexport default async () => secret() as string;\n",
    'endpoints/growing.ts':
      "import { grow } from 'grows';\nexport default async () => grow() as number;\n",
  });
  expect(await trellis('push', other.path)).toMatchObject({ code: 0 });
  expect(await call('poisoned')).toMatchObject({ status: 200, json: { poisoned: 'poison' } });
  expect(await call('looking')).toEqual({ status: 200, json: Array(4).fill('undefined') });
  expect((await call('secret')).json).toMatchObject({
    error: {
      message: expect.stringContaining(
        'process is not defined (node_modules/looks/index.js, line 2',
      ),
    },
  });
  const grown = await call('growing');
  expect(grown.json).toMatchObject({ error: { details: { reason: 'memory' } } });
  expect(await call('clean')).toEqual({ status: 200, json: [[2, 3], []] });
});

test('a package of more than a thousand files is one bundle like any other', async () => {
  await using other = await NpmFolder.with([]);
  const numbers = Array.from({ length: 1_500 }, (_, i) => i);
  const files = numbers.map((i) => [`parts/${i}.js`, `export const a${i} = ${i};\n`]);
  const index = numbers.map((i) => `import { a${i} } from './parts/${i}.js';`).join('\n');
  const sum = `export const all = [${numbers.map((i) => `a${i}`).join(', ')}];\n`;
  const all = [...files, ['index.js', `${index}\n${sum}`]];
  await other.add('scattered', Object.fromEntries(all) as Record<string, string>);
  const code = "import { all } from 'scattered';\nexport default async () => all as number[];\n";
  await other.write({ 'endpoints/scattered.ts': code });
  const { code: exit, stderr } = await trellis('push', other.path);
  expect([exit, stderr]).toEqual([0, expect.stringContaining('Package scattered 1.0.0, ISC')]);
  expect(await call('scattered')).toEqual({ status: 200, json: numbers });
});

const REFUSED: readonly [name: string, code: string, why: string][] = [
  [
    'reads-files',
    "import { readFileSync } from 'node:fs';\nexport const a = readFileSync('x');\n",
    'node_modules/reads-files/index.js:1 imports "node:fs", a module of Node',
  ],
  [
    'requires-files',
    "\nmodule.exports = require('fs').readFileSync;\n",
    'node_modules/requires-files/index.js:2 imports "fs", a module of Node',
  ],
  [
    'is-native',
    "module.exports = require('./build/addon.node');\n",
    'node_modules/is-native/index.js:1 imports "./build/addon.node", native code',
  ],
  [
    'makes-code',
    '\n\nexport const a = (x) => eval(x);\n',
    'node_modules/makes-code/index.js:3 has eval()',
  ],
  [
    'makes-functions',
    'export const a = (x) => new Function(x);\n',
    'node_modules/makes-functions/index.js:1 has Function()',
  ],
  [
    'loads-more',
    'export const a = (x) => import(x);\n',
    'node_modules/loads-more/index.js:1 has import()',
  ],
  [
    'requires-more',
    'module.exports = (x) => require(x);\n',
    'node_modules/requires-more/index.js:1 has require()',
  ],
  [
    'waits',
    'export const a = await Promise.resolve(1);\n',
    'node_modules/waits/index.js:1 has await',
  ],
  ['is-large', `export const a = '${'x'.repeat(1024 * 1024)}';\n`, 'are allowed'],
  [
    'is-broken',
    '\nexport const a = ;\n',
    'it cannot be bundled: node_modules/is-broken/index.js:2: Unexpected token',
  ],
  ['evals-aside', 'export const a = (x) => (0, eval)(x);\n', 'index.js:1 has eval()'],
  ['evals-globally', 'export const a = (x) => globalThis.eval(x);\n', 'index.js:1 has eval()'],
  [
    'evals-by-asking',
    "export const a = (x) => new Function('return this')().eval(x);\n",
    'index.js:1 has eval()',
  ],
  [
    'has-wasm',
    "import { a } from './a.wasm';\nexport { a };\n",
    'node_modules/has-wasm/index.js:1 imports "./a.wasm", WebAssembly',
  ],
  [
    'needs-more',
    "\nimport a from 'gone';\nexport { a };\n",
    'node_modules/needs-more/index.js:2 imports "gone", which is not installed',
  ],
  [
    'requires-gone',
    "\nexports.a = require('gone/sub');\n",
    'node_modules/requires-gone/index.js:2 has require("gone/sub"), which is not installed',
  ],
];

test.for(REFUSED)('%s is refused with the file and the line', async ([name, code, why]) => {
  await using other = await NpmFolder.with([]);
  await other.add(name, { 'index.js': code, 'build/addon.node': '', 'a.wasm': '' });
  await other.write({ 'lib/a.ts': `\nexport { a } from '${name}';\n` });
  const refused = await trellis('push', other.path);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining(`lib/a.ts:2: "${name}"`),
  ]);
  expect(refused.stderr).toContain(why);
});

test('what is installed must be what the lock file says', async () => {
  await using other = await NpmFolder.with([]);
  const pushed = async () => (await trellis('push', other.path)).stderr;
  await other.write({ 'endpoints/a.ts': "import a from 'ours';\nexport default async () => a;\n" });
  expect(await pushed()).toContain('endpoints/a.ts:1 imports "ours", and package-lock.json');
  await other.add('ours', { 'index.js': 'export default 1;\n' });
  await other.lock('ours', { version: '1.0.1' });
  expect(await pushed()).toContain('"ours" is installed as 1.0.0, and the lock file has 1.0.1');
  await other.lock('ours', { link: true });
  expect(await pushed()).toContain('"ours" is a link');
  await other.lock('ours', { version: '1.0.0' });
  await other.add('theirs', { 'index.js': 'export default 2;\n' });
  await other.lock('theirs', undefined);
  await other.write({ 'node_modules/ours/index.js': "export { default } from 'theirs';\n" });
  expect(await pushed()).toContain('"theirs" is installed, and not in the lock file');
  await rm(join(other.path, 'package-lock.json'));
  expect(await pushed()).toContain('there is no package-lock.json');
});

test('the test bench runs the bundle that a push sends', async () => {
  await using other = await NpmFolder.with(['@trellis/endpoint', 'papaparse', '@types/papaparse']);
  const manifest = { name: 'two-faces', version: '1.0.0', license: 'MIT', type: 'module' };
  await other.add('two-faces', {
    'package.json': JSON.stringify({
      ...manifest,
      exports: { browser: './a.js', default: './b.js' },
    }),
    'a.js': "export const face = 'of the bundle';\n",
    'b.js': "export const face = 'of Node';\n",
    'types.d.ts': '',
  });
  await other.write({
    'lib/faces.ts': "export { face } from 'two-faces';\n",
    'endpoints/faces.ts': `import { face } from '#lib/faces.ts';
import Papa, { unparse as text } from 'papaparse';
export default async ({ body }: Scope<{ rows: string[][] }>) =>
  [face, text(body.rows), Papa.unparse(body.rows)];
`,
    'endpoints/faces.test.js': `import { testWorkspace } from '@trellis/endpoint/testing';
await using workspace = await testWorkspace({});
const faces = new URL('faces.ts', import.meta.url);
const right = await workspace.run(faces, { body: { rows: [['a', 'b']] } });
const wrong = await workspace.run(faces, { body: { rows: 1 } });
console.log(JSON.stringify([right, wrong.status]));
`,
  });
  const file = join(other.path, 'endpoints/faces.test.js');
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: other.path });
  expect(JSON.parse(stdout)).toEqual([{ status: 200, body: ['of the bundle', 'a,b', 'a,b'] }, 400]);
});

test('errors and coverage in the test bench lead to the files of the author', async () => {
  await using other = await NpmFolder.with(['@trellis/endpoint']);
  const first = `export function first(text) {
  return text.toUpperCase();
}
export function never() {
  return 1;
}
`;
  const second = `// A comment that no bundle keeps.

export function second(rows) {
  if (rows.length > 1_000) {
    return 'never in this test';
  }
  return rows.toSorted();
}
`;
  const index =
    "export { first, never } from './first.js';\nexport { second } from './second.js';\n";
  await other.add('ours', {
    'package.json': JSON.stringify({ name: 'ours', version: '1.0.0', type: 'module' }),
    'index.js': index,
    'first.js': first,
    'second.js': second,
    'index.d.ts': '',
  });
  await other.write({
    'endpoints/both.js': `import { first, second } from 'ours';
export default async ({ body }) => [first(body.text), second(body.rows)];
`,
    'endpoints/both.test.js': `import { test } from 'node:test';
import assert from 'node:assert/strict';
import { testWorkspace } from '@trellis/endpoint/testing';
test('both', async () => {
  await using workspace = await testWorkspace({});
  const both = new URL('both.js', import.meta.url);
  const { body } = await workspace.run(both, { body: { text: 'a', rows: ['c', 'b'] } });
  assert.deepEqual(body, ['A', ['b', 'c']]);
  const error = await workspace.run(both, { body: { text: 'a' } }).catch((thrown) => thrown);
  console.log(error.cause.stack);
});
`,
  });
  const written = join(other.path, 'coverage');
  const env = { ...process.env, NODE_V8_COVERAGE: written };
  const args = ['--enable-source-maps', join(other.path, 'endpoints/both.test.js')];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: other.path, env });
  expect(stdout).toContain(`at second (${other.path}/node_modules/ours/second.js:4:12)`);
  expect(await leastRuns(written, join(other.path, 'node_modules/ours'))).toMatchObject({
    '/first.js:1': 2,
    '/first.js:4': 0,
    '/second.js:3': 2,
    '/second.js:5': 0,
  });
});

const v8Coverage = z.object({
  result: z.array(
    z.object({
      url: z.string(),
      functions: z.array(
        z.object({ ranges: z.array(z.object({ startOffset: z.number(), count: z.number() })) }),
      ),
    }),
  ),
  'source-map-cache': z.record(
    z.string(),
    z.looseObject({ lineLengths: z.array(z.number()), data: z.unknown() }),
  ),
});

/**
 * How often what begins at a line of a file was run at least, as programs that read
 * `NODE_V8_COVERAGE` find it: of each script they have lengths of lines and the source map, and
 * never its file.
 */
async function leastRuns(written: string, below: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of await readdir(written)) {
    const text = await readFile(join(written, name), 'utf8');
    const { result, ...maps } = v8Coverage.parse(JSON.parse(text));
    for (const { url, functions } of result.filter((one) => one.url.startsWith('file:'))) {
      const mapped = maps['source-map-cache'][url];
      if (mapped === undefined) continue;
      const map = new SourceMap(mapped.data as ConstructorParameters<typeof SourceMap>[0]);
      for (const { startOffset, count } of functions.flatMap(({ ranges }) => ranges)) {
        let [line, column] = [0, startOffset];
        for (const length of mapped.lineLengths) {
          if (column <= length) break;
          column -= length + 1;
          line++;
        }
        const entry = map.findEntry(line, column);
        if (!('originalSource' in entry)) continue;
        const [, file] = entry.originalSource.split(pathToFileURL(below).href);
        const place = `${file}:${entry.originalLine + 1}`;
        if (file !== undefined) counts[place] = Math.min(count, counts[place] ?? count);
      }
    }
  }
  return counts;
}
