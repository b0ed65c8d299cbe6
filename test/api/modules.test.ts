import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { People } from '../support/people.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';

const PRICES = `export const VAT = 0.07;

/** With tax. */
export function price(pages: number): number {
  if (pages < 0) throw new Error('no such book');
  return Math.round(pages * (1 + VAT) * 100) / 100;
}
`;
const asks = (text: string): string =>
  `import { price } from '#lib/prices.ts';\nexport default async ({ body }: Scope<{ pages: number }>) => ${text};\n`;
const ASKS = asks('price(body.pages)');

let people: People;
let admin: TrellisClient;
beforeAll(async () => {
  people = await People.start();
  await people.as('admin', 'PUT', '/api/schema', LIBRARY_SCHEMA);
  const { url: baseUrl } = people.workspace.server;
  admin = new TrellisClient({ baseUrl, token: people.token('admin'), retry: { retriesMax: 0 } });
});
afterAll(() => people[Symbol.asyncDispose]());

const outcome = (method: string, path: string, body?: unknown) =>
  people.outcome('admin', method, path, body);
const run = (name: string, body: unknown = {}) =>
  people.as('admin', 'POST', `/api/endpoints/run/${name}`, body);

/** Saves code under a name, whatever there is. */
async function module(name: string, code: string) {
  const { items } = await admin.modules.list({ take: 1000 });
  return items.some((one) => one.name === name)
    ? admin.modules.put(name, { code })
    : admin.modules.create({ name, code });
}

test('an endpoint imports a module, which can be read, changed and deleted', async () => {
  expect(await admin.modules.create({ name: 'prices', code: PRICES })).toMatchObject({
    name: 'prices',
    code: PRICES,
    version: 1,
    compiles: true,
    diagnostics: [],
    usedBy: [],
  });
  expect(await admin.endpoints.create({ name: 'ask', code: ASKS })).toMatchObject({
    compiles: true,
    diagnostics: [],
  });
  expect((await run('ask', { pages: 100 })).json).toBe(107);
  const changed = await admin.modules.put('prices', { code: PRICES.replace('0.07', '0.19') });
  expect(changed).toMatchObject({
    version: 2,
    usedBy: [{ kind: 'endpoint', name: 'ask', compiles: true }],
  });
  expect((await run('ask', { pages: 100 })).json).toBe(119);
  expect(await outcome('DELETE', '/api/modules/prices')).toEqual([409, 'module_in_use']);
  expect(await outcome('POST', '/api/modules/create', { name: 'prices', code: '' })).toEqual([
    409,
    'module_exists',
  ]);
  const stale = { code: PRICES, version: 1 };
  expect(await outcome('PUT', '/api/modules/prices', stale)).toEqual([409, 'version_conflict']);
  await admin.endpoints.delete('ask');
  await admin.modules.delete('prices');
  expect(await outcome('GET', '/api/modules/prices')).toEqual([404, 'module_not_found']);
  expect(await outcome('PUT', '/api/modules/prices', { code: '' })).toEqual([
    404,
    'module_not_found',
  ]);
});

describe('a change that breaks who imports it', () => {
  test('leaves them what they serve, and says where', async () => {
    await module('prices', PRICES);
    await admin.endpoints.create({ name: 'broken/ask', code: ASKS });
    const renamed = PRICES.replace('function price', 'function cost');
    expect(await module('prices', renamed)).toMatchObject({
      compiles: true,
      usedBy: [{ kind: 'endpoint', name: 'broken/ask', compiles: false }],
    });
    expect(await admin.endpoints.get('broken/ask')).toMatchObject({
      compiles: false,
      diagnostics: [
        { line: 1, column: 10, message: expect.stringContaining("no exported member 'price'") },
      ],
    });
    expect((await run('broken/ask', { pages: 100 })).json).toBe(107);
    // It is mended by whoever imports it, or by the module.
    await admin.endpoints.put('broken/ask', {
      code: ASKS.replaceAll('price(', 'cost(').replace('{ price }', '{ cost }'),
    });
    expect((await run('broken/ask', { pages: 200 })).json).toBe(214);
    await module('prices', PRICES.replace('0.07', '0.5'));
    expect((await run('broken/ask', { pages: 100 })).json).toBe(107);
    await module('prices', renamed.replace('0.07', '0.5'));
    expect((await run('broken/ask', { pages: 100 })).json).toBe(150);
    expect(await admin.endpoints.get('broken/ask')).toMatchObject({ compiles: true });
    await admin.endpoints.delete('broken/ask');
  });

  test('serves a draft from when what it imports is there', async () => {
    const code = `import { late } from '#lib/late/one.ts';\nexport default () => late;\n`;
    const draft = await admin.endpoints.create({ name: 'late', code });
    expect(draft.diagnostics).toEqual([
      {
        line: 1,
        column: 1,
        code: 0,
        message: 'There is no module "#lib/late/one.ts" that compiles.',
      },
    ]);
    const one = `import { two } from '#lib/late/two.ts';\nexport const late = two + 1;\n`;
    expect(await module('late/one', one)).toMatchObject({
      compiles: false,
      usedBy: [{ kind: 'endpoint', name: 'late', compiles: false }],
    });
    await module('late/two', 'export const two: number = 2;\n');
    expect(await admin.modules.get('late/one')).toMatchObject({
      compiles: true,
      usedBy: [{ kind: 'endpoint', name: 'late', compiles: true }],
    });
    expect((await run('late')).json).toBe(3);
  });

  test('is not made of a module that does not compile', async () => {
    await module('late/two', 'export const two: number = "2";\n');
    expect(await admin.modules.get('late/two')).toMatchObject({ compiles: false });
    expect((await run('late')).json).toBe(3);
    await module('late/two', 'export const two: number = 22;\n');
    expect((await run('late')).json).toBe(23);
  });
});

describe('the code of a module', () => {
  test.each([
    ['export let price = 1;', 'An exported variable is a constant: export const ... = ...'],
    ["import fs from 'node:fs';\nexport const a = fs;", 'There is no "node:fs" in an endpoint'],
    ["import { a } from './a.ts';\nexport const b = a;", 'A module is imported by its whole name'],
    ["export const a = import('#lib/b.ts');", 'are imported at the top'],
    ["export const a = eval('1');", 'eval() is off'],
    ['export const a = import.meta.url;', 'import.meta is not there'],
    ['declare global { interface X {} }', 'declare global'],
    ['// @ts-nocheck\nexport const a: string = 1;', '@ts-nocheck is off'],
    ["import { a } from '#lib/nowhere.ts';\nexport const b = a;", 'There is no module'],
    ['export const a: string = 1;', "Type 'number' is not assignable to type 'string'"],
    ['export default await 1;', 'await stands inside'],
    ['export const [a = 1;', 'expected'],
  ])('%s', async (code, message) => {
    const { diagnostics } = await admin.modules.check({ code });
    expect(diagnostics[0]?.message).toContain(message);
  });

  test('may export and import in every form', async () => {
    await module(
      'forms/source',
      [
        'export default function () { return 1; }',
        'export const two = 2, three = 3;',
        'export const { four, rest: [five] } = { four: 4, rest: [5] };',
        'export class Six { value = 6; }',
        'export type Seven = { seven: number };',
        'export interface Eight { eight: number }',
        'const nine = 9;',
        "export { nine as renamed, nine as 'with space' };",
        'export async function ten() { return 10; }',
        'export const $import0 = 11;',
      ].join('\n'),
    );
    await module(
      'forms/passes',
      [
        "export * from '#lib/forms/source.ts';",
        "export { default, two as zwei } from '#lib/forms/source.ts';",
        "export * as all from '#lib/forms/source.ts';",
        "import type { Seven } from '#lib/forms/source.ts';",
        "import one, { type Eight, three as drei } from '#lib/forms/source.ts';",
        'export { drei };',
        'export type { Seven };',
        'export const seven = (value: Eight & Seven): number => value.eight + one();',
      ].join('\n'),
    );
    const code = `import one, * as all from '#lib/forms/passes.ts'; import {
  Six, // the sixth
  ten as zehn, "with space" as neun,
} from '#lib/forms/passes.ts';
import '#lib/forms/source.ts';
export const input = z.object({ n: z.number() });
export default async function ({ body }: Scope<{ n: number }>) {
  return [one(), all.two, all.zwei, all.drei, all.four, all.five, new Six().value, all.all.three,
    all.renamed, neun, await zehn(), all.seven({ seven: 7, eight: 8 }), Object.keys(all).length, body.n];
}
`;
    const { diagnostics } = await admin.endpoints.create({ name: 'forms', code });
    expect(diagnostics).toEqual([]);
    expect((await run('forms', { n: 12 })).json).toEqual([
      1, 2, 2, 3, 4, 5, 6, 3, 9, 9, 10, 9, 14, 12,
    ]);
  });

  test('may speak of imports, of itself too', async () => {
    const code = [
      "/** Use it so: import { spoken } from '#lib/speaks.ts'; */",
      "// import { nothing } from '#lib/nothing.ts';",
      "export const spoken = `import x from '#lib/speaks.ts'`;",
      "import type { Seven } from /* types alone */ '#lib/forms/source.ts';",
      'export const seven: Seven["seven"] = 7;',
    ].join('\n');
    expect(await module('speaks', code)).toMatchObject({ diagnostics: [], usedBy: [] });
  });

  test('in a circle is a draft that says so', async () => {
    await module('circle/a', "import { b } from '#lib/circle/b.ts';\nexport const a = () => b;\n");
    const b = await module(
      'circle/b',
      "import { a } from '#lib/circle/a.ts';\nexport const b = () => a;\n",
    );
    expect(b.diagnostics[0]?.message).toBe(
      'The modules import each other in a circle: #lib/circle/b.ts -> #lib/circle/a.ts -> #lib/circle/b.ts.',
    );
  });
});

describe('what runs', () => {
  test('tells of a failure where the module has it', async () => {
    await module('prices', PRICES);
    await admin.endpoints.create({ name: 'fails', code: ASKS });
    const { status, json: body } = await run('fails', { pages: -1 });
    expect([status, body]).toMatchObject([500, { error: { code: 'endpoint_failed' } }]);
    expect(body).toMatchObject({
      error: {
        message:
          'Error: no such book (#lib/prices.ts, line 5, column 24; called from line 2, column 62)',
        details: { line: 2, column: 62, in: { file: '#lib/prices.ts', line: 5, column: 24 } },
      },
    });
  });

  test('a read-only endpoint does not write by a module', async () => {
    const writes = `export const save = (graph: Scope['graph']) => graph.addOrUpdate('Book', 'x', {});\n`;
    await module('writes', writes);
    const code = `import { save } from '#lib/writes.ts';\nexport default async ({ graph }: Scope) => save(graph);\n`;
    const refused = await people.as('admin', 'POST', '/api/endpoints/create', {
      name: 'reads',
      code,
      isReadOnly: true,
    });
    expect(refused.json).toMatchObject({ error: { code: 'not_read_only' } });
    expect(JSON.stringify(refused.json)).toContain('In #lib/writes.ts, line 1');
  });

  test('a migration imports modules, too', async () => {
    await module('titles', "export const title = (n: number): string => 'Number ' + n;\n");
    const code = `import { title } from '#lib/titles.ts';
export default async ({ graph }: Scope) => { await graph.addOrUpdate('Book', 'one', { Title: title(1) }); };\n`;
    expect(await admin.migrations.create({ name: '001', code })).toMatchObject({ diagnostics: [] });
    expect(await outcome('DELETE', '/api/modules/titles')).toEqual([409, 'module_in_use']);
    const { id } = await admin.migrations.run('001');
    for await (const event of admin.jobs.watch(id)) void event;
    const { items } = await admin.nodes.query({ type: 'Book' });
    expect(items).toMatchObject([{ Title: 'Number 1' }]);
    await admin.modules.delete('titles');
  });

  test('code that is not saved runs with modules, and so do old versions', async () => {
    await module('prices', PRICES);
    const draft = await admin.build.runDraft({ name: 'drafts', code: ASKS, body: { pages: 100 } });
    expect(draft).toMatchObject({ status: 200, body: 107 });
    await module('prices', PRICES.replace('0.07', '0.01'));
    const again = await admin.build.runDraft({ name: 'drafts', code: ASKS, body: { pages: 100 } });
    expect(again).toMatchObject({ status: 200, body: 101 });
    await admin.endpoints.create({ name: 'versions', code: ASKS });
    await admin.endpoints.put('versions', { code: asks('price(body.pages) + 1') });
    const { runs } = await admin.codeHistory.compare('endpoint', 'versions', {
      version: 1,
      body: { pages: 100 },
    });
    expect(runs.map(({ body }) => body)).toEqual([101, 102]);
  });
});

test('every version is in the history, and comes back', async () => {
  await module('kept', 'export const kept = 1;\n');
  await module('kept', 'export const kept = 2;\n');
  const code = `import { kept } from '#lib/kept.ts';\nexport default () => kept;\n`;
  await admin.endpoints.create({ name: 'kept', code });
  expect((await run('kept')).json).toBe(2);
  const { items } = await admin.codeHistory.listItem('module', 'kept', {});
  expect(items.map(({ version, action }) => [version, action])).toEqual([
    [2, 'changed'],
    [1, 'created'],
  ]);
  expect(items[0]?.diff).toContain('+export const kept = 2;');
  expect(await admin.codeHistory.restore('module', 'kept', { version: 1 })).toMatchObject({
    version: 3,
    code: 'export const kept = 1;\n',
  });
  expect((await run('kept')).json).toBe(1);
  const { items: leaves } = await admin.build.getCatalog();
  expect(leaves.find(({ kind, name }) => kind === 'module' && name === 'kept')).toMatchObject({
    folder: '',
    compiles: true,
    updatedBy: { name: 'admin' },
  });
});
