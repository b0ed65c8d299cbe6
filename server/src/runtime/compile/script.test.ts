import { runInNewContext, Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { scriptColumnOffset, wrapScript } from '../sandbox/script-text.ts';
import { toScript } from './script.ts';

/** What the endpoint of this code gives. */
async function run(code: string): Promise<unknown> {
  const main: unknown = runInNewContext(wrapScript(await toScript(code)))();
  if (typeof main !== 'function') throw new Error('no function');
  return main();
}

describe('the default export becomes the endpoint', () => {
  it.each([
    ['export default function () { return 1; }'],
    ['export default function(){return 1}\n(2)'],
    ['export default async function () { return 1; }\n[3].length'],
    ['export default async function main(): Promise<number> { return 1; }'],
    ['export default function twice() { return one(); }\nfunction one(): number { return 1; }'],
    ['export default () => 1'],
    ['export default (async () => 1);'],
    ['const run = () => 1;\nexport default run;'],
    ['export /* a */ default // b\n() => 1'],
    ['export default /* a */ async /* b */ function /* c */ () { return 1; }'],
    ['export\ndefault\nfunction\n() { return 1; }\n`x`'],
    ['export default function named() { return named.length + 1; }'],
    ['export default <T,>() => 1 as T'],
    ['export default /**/ /***/ /*/ * /*/ async /* * ** **/ () => 1'],
  ])('%s', async (code) => {
    expect(await run(code)).toBe(1);
  });
});

it('reads code that is made to be slow to read', async () => {
  const blanks = ' '.repeat(400_000);
  expect(await run(`export default ${'/*x*/'.repeat(50_000)}() => 1;`)).toBe(1);
  expect(await run(`export default ${blanks}() => 1;`)).toBe(1);
  const { parameters } = await toScript(
    `import { a${blanks}} from '#lib/a.ts';\nexport default a;`,
  );
  expect(parameters.replaceAll(/\s/g, '')).toBe('{a},$import0');
  const strange = `import a${blanks}, { "}" as b } from '#lib/a.ts';\nexport default a;`;
  await expect(toScript(strange)).rejects.toThrow('cannot be read');
});

it.each([
  ["throw new Error('here')", '1:1'],
  ['export default function () { throw new Error() }', '1:30'],
  [
    'type A = { a: 1 };\n  export default async function (x: A) { await null; throw new Error(); }',
    '2:54',
  ],
  ['export default async (scope: { a: 1 }): Promise<number> => { throw new Error(); }', '1:62'],
  ['export\n  default   async   function\n      (x?: number) { throw new Error(); }', '3:22'],
  ['export default function named(a?: number) { throw new Error(); }', '1:45'],
])('%s: what it throws has the line and column of the source', async (code, place) => {
  const source = code.includes('export') ? code : `${code};export default () => 1`;
  const linkable = await toScript(source);
  const script = new Script(wrapScript(linkable), {
    filename: 'user.ts',
    columnOffset: scriptColumnOffset(linkable.parameters),
  });
  const throwing = async () => script.runInThisContext()()();
  const error: unknown = await throwing().catch((thrown: unknown) => thrown);
  const [line, column] = place.split(':').map(Number);
  const found = /user\.ts:(\d+):(\d+)/.exec(String(error instanceof Error ? error.stack : ''));
  // The place is that of `new Error`, six characters after `throw`.
  expect([Number(found?.[1]), Number(found?.[2]) - 6]).toEqual([line, column]);
});
