import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { afterAll, describe, expect, it } from 'vitest';
import { SYSTEM_SCHEMA } from '#graph/system-schema.ts';
import { EndpointCompiler } from './endpoint-compiler.ts';

const SCHEMA: SchemaDocument = {
  nodes: [
    ...SYSTEM_SCHEMA.nodes,
    { type: 'Word', key: 'Lemma', fields: { Count: 'Int', Pos: 'String', Tags: 'String[]' } },
    { type: 'Synset', fields: { Gloss: 'String', Place: 'GeoPoint' } },
  ],
  edges: [...SYSTEM_SCHEMA.edges, { type: 'HasSense', inverse: 'SenseOf' }],
};

const compiler = new EndpointCompiler();
afterAll(() => compiler.close());

/** `line:column message` of each diagnostic. */
async function check(code: string, isReadOnly = false): Promise<string[]> {
  const diagnostics = await compiler.check({ code, isReadOnly }, SCHEMA);
  return diagnostics.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

/** Checks statements in an endpoint function, which begin in its second line. */
function checkBody(statements: string, isReadOnly = false): Promise<string[]> {
  const scope = '{ body, graph, q, run, log, CurrentUser, redirect }: Scope<{ word: string }>';
  return check(`export default async function (${scope}) {\n${statements}\n}\n`, isReadOnly);
}

const IMPORTS =
  "Modules of the workspace are imported at the top: import { price } from '#lib/prices.ts'.";
const ONE_EXPORT =
  'An endpoint has exactly one default export: export default async function ({ body, graph, q }: Scope<{ word: string }>) { ... }';
const A_FUNCTION =
  'The default export must be a function that takes the scope: export default async function ({ body, graph, q }: Scope<{ word: string }>) { ... }';

describe('code that uses its scope well', () => {
  it.each([
    ['reads', "const w = await graph.get('Word', 'a'); return w.Lemma ?? w.Count;"],
    ['reads by reference', "return (await graph.tryGet({ type: 'Word', key: 'a' }))?.UID;"],
    ['many', "return (await graph.getMany('Word', ['a'])).map((w) => w?.Pos);"],
    ['any type', "const n = await graph.get('x'); return n.Type === 'Synset' ? n.Gloss : n.UID;"],
    ['writes', "await graph.addOrUpdate('Word', 'a', { Count: 1, Pos: null });"],
    [
      'a write as an object',
      "await graph.tryAdd({ type: 'Word', key: 'a', fields: { Count: 1 } });",
    ],
    [
      'a transaction',
      "const w = await graph.get('Word', 'a');\nreturn (await graph.transaction((tx) => { tx.link(w, 'SenseOf', { type: 'Synset', key: 'b' }); return 5; })).toFixed();",
    ],
    [
      'a query',
      "return (await q().asUser().startAt('Word', ['a']).out('Synset', 'HasSense').where('Gloss', 'contains', 'x').where((s) => s.Gloss !== '').sortBy('Gloss').take(3).nodes(['Gloss'])).length;",
    ],
    ['iteration', "for await (const w of q().startAt('Word')) log.info(w.Lemma ?? '', { w });"],
    ['a user', "return CurrentUser?.Email ?? (await run<string>('other', { body }));"],
  ])('%s', async (_case, statements) => {
    expect(await checkBody(statements)).toEqual([]);
  });

  it.each([
    'export default () => 1',
    'export default async (scope: Scope) => scope.body',
    'const run = (s: Scope) => s.ok(1);\nexport default run;',
    'export default function main() {}',
    'type X = { a: 1 };\nexport default ({ body }: Scope<X>) => body.a satisfies number',
    "export default () => '// @ts-ignore <!-- import(1) -->'.length + /\\/\\*@ts-nocheck/.source.length",
    'export default () => `// @ts-ignore ${1} /* <!-- */ ${2} /// <reference`',
  ])('%s', async (code) => {
    expect(await check(code)).toEqual([]);
  });
});

describe('a wrong name', () => {
  it.each([
    ["await graph.get('Wrod', 'x');", '2:17 There is no node type "Wrod". Did you mean "Word"?'],
    [
      "await graph.get({ type: 'Sinset', key: 'x' });",
      '2:19 There is no node type "Sinset". Did you mean "Synset"?',
    ],
    ["await q().startAt('Zebra').nodes();", '2:19 There is no node type "Zebra".'],
    [
      "q().startAt('Word').out('Synset', 'HazSense');",
      '2:35 There is no edge type "HazSense". Did you mean "HasSense"?',
    ],
    [
      "(await graph.get('Word', 'x')).Lema;",
      '2:32 "Word" has no field "Lema". Did you mean "Lemma"?',
    ],
    [
      "await graph.addOrUpdate('Word', 'x', { Cont: 1 });",
      '2:40 "Word" has no field "Cont". Did you mean "Count"?',
    ],
    [
      "q().startAt('Word').where('Cont', '=', 1);",
      '2:27 There is no field "Cont" here. Did you mean "Count"?',
    ],
    [
      "q().startAt('Word').where((w) => w.Poss);",
      '2:36 "Word" has no field "Poss". Did you mean "Pos"?',
    ],
    [
      "(await graph.get('x')).Gloss;",
      '2:24 Not every node has a field "Gloss": look at its Type first, or name the type of the nodes.',
    ],
    [
      "q().startAt('Word').where('Pos', '==', 'n');",
      '2:34 "==" is not a comparison. Comparisons are "=", "!=", "<", "<=", ">", ">=", "in", "contains", "startsWith", "endsWith" and "exists".',
    ],
    ["q().startAt('Word').sortBy('Pos', 'up');", '2:35 "up" is not one of "asc", "desc".'],
    [
      "await graph.addOrUpdate('_User', 'x', {});",
      '2:25 The node type "_User" is the server\'s own: code cannot write it.',
    ],
    ["graph.gett('Word', 'x');", '2:7 There is no "gett" in Graph. Did you mean "get"?'],
    ['log.inf(1);', '2:5 There is no "inf" in Log. Did you mean "info"?'],
    ['body.wrod;', '2:6 There is no "wrod" in { word: string; }.'],
    ['bdy;', '2:1 There is no "bdy" in an endpoint. Did you mean "body"?'],
    [
      'console.log(1);',
      '2:1 There is no "console" in an endpoint: log.info() writes to the log of the server.',
    ],
    [
      'process.exit(1);',
      '2:1 There is no "process" in an endpoint: it has no access to the process of the server.',
    ],
    ["fetch('x');", '2:1 There is no "fetch" in an endpoint.'],
  ])('%s', async (statement, diagnostic) => {
    expect(await checkBody(statement)).toEqual([diagnostic]);
  });

  it('is found after characters outside the basic plane', async () => {
    const found = await checkBody("'😀ü'; await graph.get('Wrod', 'x');");
    expect(found).toEqual(['2:24 There is no node type "Wrod". Did you mean "Word"?']);
  });
});

describe('a wrong type', () => {
  it.each([
    [
      "await graph.addOrUpdate('Word', 'x', { Count: 'one' });",
      "2:40 Type 'string' is not assignable to type 'number'.",
    ],
    ["(await graph.get('Word', 'x')).Pos.length;", "2:1 Object is possibly 'undefined'."],
    [
      "redirect('x', 304);",
      "2:15 Argument of type '304' is not assignable to parameter of type '301 | 302 | 303 | 307 | 308 | undefined'.",
    ],
    ['CurrentUser.Email;', "2:1 'CurrentUser' is possibly 'null'."],
    [
      "q().startHere('Word');",
      '2:5 There is no "startHere" in QueryStart. Did you mean "startWhere"?',
    ],
  ])('%s', async (statement, diagnostic) => {
    expect(await checkBody(statement)).toEqual([diagnostic]);
  });
});

describe('the read-only scope', () => {
  const any = 'JSON.parse("0")';
  const writes = ['addOrUpdate', 'tryAdd', 'update', 'delete', 'link', 'unlink', 'unrestrict'];
  it.each(
    [...writes, 'transaction']
      .map((write) => [write, any])
      .concat([['restrict', `${any}, ${any}`]]),
  )('refuses graph.%s() with a sentence, whatever it is called with', async (write, given) => {
    const sentence = `graph.${write}() writes to the graph. This endpoint is marked Read Only.`;
    expect(await checkBody(`await graph.${write}(${given});`, true)).toEqual([`2:13 ${sentence}`]);
    expect(await checkBody(`await graph.${write}(${given});`, false)).toEqual([]);
  });

  it('keeps the reads', async () => {
    expect(await checkBody("return q().startAt('Word').count();", true)).toEqual([]);
  });
});

it('checks code of the greatest length, with texts on each line', async () => {
  const line = `const text = ["a", "b", 'c', \`d\`].join();\n`;
  const code = `{\n${line}}\n`.repeat(9_000) + 'export default () => 1;\n';
  expect(code.length).toBeGreaterThan(400_000);
  expect(await check(code)).toEqual([]);
});

describe('syntax that is not for endpoints', () => {
  it.each([
    [
      "import fs from 'node:fs';\nexport default () => fs;",
      ['1:1 There is no "node:fs" in an endpoint: it imports modules of the workspace alone.'],
    ],
    [
      "import type { X } from './x.ts';\nexport default () => 1;",
      ['1:1 A module is imported by its whole name: "#lib/prices.ts", not "./x.ts".'],
    ],
    [
      "import { x } from '#lib/x.ts';\nexport default () => x;",
      ['1:1 There is no module "#lib/x.ts" that compiles.'],
    ],
    ["export default () => import('node:fs');", [`1:22 ${IMPORTS}`]],
    ['export default () => import(`x`);', [`1:22 ${IMPORTS}`]],
    ["export default (x: import('./x.ts').X) => x;", [`1:20 ${IMPORTS}`]],
    [
      "const a = ['x', 'y', 'z'];\n// @ts-ignore\nexport default () => a.nothing;",
      ['2:1 @ts-ignore is off in an endpoint: correct what it would hide.'],
    ],
    ['export default () => import.meta;', ['1:22 import.meta is not there in an endpoint.']],
    ['const a = 1;\n', [`1:1 ${ONE_EXPORT}`]],
    ['export const a = 1;\nexport default () => a;', [`1:1 ${ONE_EXPORT}`]],
    ['export default () => 1;\nexport type X = 1;', [`2:1 ${ONE_EXPORT}`]],
    ["export default () => 1;\nexport * from 'x';", [`2:1 ${ONE_EXPORT}`]],
    ['const a = () => 1;\nexport { a as default };', [`1:1 ${ONE_EXPORT}`, `2:1 ${ONE_EXPORT}`]],
    [
      'export default () => 1;\n// @ts-ignore\n',
      ['2:1 @ts-ignore is off in an endpoint: correct what it would hide.'],
    ],
    [
      '/* @ts-nocheck */ export default () => 1;',
      ['1:1 @ts-nocheck is off in an endpoint: correct what it would hide.'],
    ],
    [
      'export default () => 1;\n  // @ts-expect-error\n',
      ['2:3 @ts-expect-error is off in an endpoint: correct what it would hide.'],
    ],
    [
      '/// <reference path="/etc/passwd" />\nexport default () => 1;',
      ['1:1 A reference to another file is off in an endpoint.'],
    ],
    [
      'declare global { interface Graph { x: 1 } }\nexport default () => 1;',
      ['1:1 declare global, declare module and namespaces are not for endpoints.'],
    ],
    [
      "declare module 'x' {}\nexport default () => 1;",
      ['1:1 declare global, declare module and namespaces are not for endpoints.'],
    ],
    [
      "export default () => eval('1');",
      ['1:22 eval() is off in an endpoint: code is not made from text.'],
    ],
    [
      "export default () => new Function('1');",
      ['1:22 Function() is off in an endpoint: code is not made from text.'],
    ],
    [
      'await 1;\nexport default () => 1;',
      ['1:1 await stands inside the endpoint function, not outside it.'],
    ],
    [
      'export default () => 1;\nlet a = 1;\nif (a <!--a) a;',
      ['3:7 Put a space into "<!--" or "-->": it would begin a comment.'],
    ],
    [
      'enum X { A }\nexport default () => X.A;',
      [
        '1:6 enum, namespace and parameter properties are not for endpoints: use a constant object or a class field.',
      ],
    ],
    ['export default 5;', [`1:1 ${A_FUNCTION}`]],
    ['\nexport default (a: string) => a;', [`2:1 ${A_FUNCTION}`]],
    ['export default class {}', [`1:1 ${A_FUNCTION}`]],
    [
      'const $main = 1; export default () => $main;',
      ["1:25 Identifier '$main' has already been declared."],
    ],
    [
      'export default () => 1;\n@d class X {}\nfunction d(..._: unknown[]) {}',
      ['2:1 Invalid or unexpected token.'],
    ],
  ])('%s', async (code, diagnostics) => {
    expect(await check(code)).toEqual(diagnostics);
  });

  it('is one diagnostic where the code stops making sense', async () => {
    expect(await checkBody('return ][;')).toEqual(['2:8 Expression expected.']);
  });
});

it('reads nothing from the disk, whatever the code refers to', async () => {
  const found = await check(
    `/// <reference path="${import.meta.filename}" />\nexport default () => 1;`,
  );
  expect(found).toEqual(['1:1 A reference to another file is off in an endpoint.']);
});

it('keeps one check from another', async () => {
  await check('declare global { interface Graph { everywhere: 1 } }\nexport default () => 1;');
  expect(await checkBody('graph.everywhere;')).toEqual(['2:7 There is no "everywhere" in Graph.']);
});

it('follows the schema', async () => {
  const code = "export default ({ q }: Scope) => q().startAt('Later').count();";
  expect(await compiler.check({ code, isReadOnly: false }, SCHEMA)).toHaveLength(1);
  const later = { ...SCHEMA, nodes: [...SCHEMA.nodes, { type: 'Later', fields: {} }] };
  expect(await compiler.check({ code, isReadOnly: false }, later)).toEqual([]);
  expect(await compiler.check({ code, isReadOnly: false }, SCHEMA)).toHaveLength(1);
});
