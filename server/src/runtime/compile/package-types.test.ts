import { afterAll, expect, it } from 'vitest';
import type { PackageBundle } from '@trellis/contract/shapes/package.ts';
import { SYSTEM_SCHEMA } from '#graph/system-schema.ts';
import { EndpointCompiler } from './endpoint-compiler.ts';
import { placeIn } from '../testing/code-place.ts';
import { packageText } from './package-text.ts';

const compiler = new EndpointCompiler();
afterAll(() => compiler.close());

const HEAD = { package: 'ours', version: '1.0.0', license: 'MIT', isCommonJs: false, map: '{}' };
const untyped: PackageBundle = {
  ...HEAD,
  code: 'const size = 3;\nexport { size };\n',
  typesEntry: null,
  types: {},
};
const typed = (type: string): PackageBundle => ({
  ...untyped,
  typesEntry: 'ours/dist/ours.d.ts',
  types: {
    'ours/dist/ours.d.ts':
      "import type { Size } from 'theirs';\nexport declare const size: Size;\n",
    'theirs/package.json': '{"exports":{".":{"types":"./t.d.ts"}}}',
    'theirs/t.d.ts': `export type Size = ${type};\n`,
  },
});

function sourcesOf(packages: Readonly<Record<string, PackageBundle>>) {
  const texts = new Map(
    Object.entries(packages).map(([name, bundle]) => [`npm:${name}`, packageText(bundle)]),
  );
  return { find: (name: string) => texts.get(name), names: () => [...texts.keys()] };
}

async function check(
  packages: Readonly<Record<string, PackageBundle>>,
  { specifier = 'ours', isReadOnly = false } = {},
): Promise<string[]> {
  const code = `import { size } from '${specifier}';\nexport default () => size satisfies string;\n`;
  const modules = sourcesOf(packages);
  const found = await compiler.check({ code, isReadOnly, modules }, SYSTEM_SCHEMA);
  return found.map(({ line, message }) => `${line}: ${message}`);
}

const MISSING = '1: There is no package "ours" here.';
const WRONG = "2: Type 'number' does not satisfy the expected type 'string'.";

it.each([false, true])('sees packages come, change and go (read-only: %s)', async (isReadOnly) => {
  expect((await check({}, { isReadOnly }))[0]).toContain(MISSING);
  expect(await check({ ours: typed('number') }, { isReadOnly })).toEqual([WRONG]);
  expect(await check({ ours: typed('string') }, { isReadOnly })).toEqual([]);
  expect(await check({ ours: untyped }, { isReadOnly })).toEqual([]);
  expect(await check({ ours: typed('number') }, { isReadOnly })).toEqual([WRONG]);
  expect((await check({}, { isReadOnly }))[0]).toContain(MISSING);
  expect(await check({ ours: typed('number') }, { isReadOnly })).toEqual([WRONG]);
});

it('keeps so many packages that nothing asks for, and finds those again that it forgot', async () => {
  for (let i = 0; i < 20; i++) {
    expect(await check({ [`p${i}`]: typed('string') }, { specifier: `p${i}` })).toEqual([]);
  }
  expect(await check({ p0: typed('string') }, { specifier: 'p0' })).toEqual([]);
  expect(await check({ p19: typed('number') }, { specifier: 'p19' })).toEqual([WRONG]);
});

it('finds a path in a package beside the package', async () => {
  const both = { ours: typed('number'), 'ours/part': typed('string') };
  expect(await check(both, { specifier: 'ours/part' })).toEqual([]);
  expect(await check(both)).toEqual([WRONG]);
});

it.each(['<reference lib="dom" />', "<reference lib='webworker'/>"])(
  'has no globals of browsers, though a package asks for them: %s',
  async (line) => {
    const { types } = typed('string');
    const asks = `/// ${line}\n${types['theirs/t.d.ts']}`;
    const ours = { ...typed('string'), types: { ...types, 'theirs/t.d.ts': asks } };
    const code = "import { size } from 'ours';\nexport default () => [size, addEventListener];\n";
    const modules = sourcesOf({ ours });
    const found = await compiler.check({ code, isReadOnly: false, modules }, SYSTEM_SCHEMA);
    expect(found).toMatchObject([
      { line: 2, message: expect.stringContaining('"addEventListener"') },
    ]);
  },
);

it.each([false, true])(
  'what a package declares for all is seen where it is imported alone (read-only: %s)',
  async (isReadOnly) => {
    const { types } = typed('string');
    const declared = `declare global {
  interface Array<T> { packed(): T[] }
  interface Scope { readonly packed: number }
  var packed: number;
}
${types['theirs/t.d.ts']}`;
    const ours = { ...typed('string'), types: { ...types, 'theirs/t.d.ts': declared } };
    const others = { other: typed('string') };
    const seen = async (packages: Readonly<Record<string, PackageBundle>>, head: string) => {
      const code = `${head}export default ({ packed: own }: Scope) => [packed, [1].packed(), own];\n`;
      const checked = { code, isReadOnly, modules: sourcesOf(packages) };
      return (await compiler.check(checked, SYSTEM_SCHEMA)).length;
    };
    expect(await seen({ ours, ...others }, "import 'ours';\n")).toBe(0);
    expect(await seen({ ours, ...others }, '')).toBe(3);
    expect(await seen({ ours, ...others }, "import 'other';\n")).toBe(3);
  },
);

it.each([
  ['names of packages', "import { size } from '|';\nexport default () => size;\n", 'ours'],
  ['what a package exports', "import { | } from 'ours';\nexport default () => 1;\n", 'size'],
  ['its members', "import * as all from 'ours';\nexport default () => all.|;\n", 'size'],
])('an editor is offered %s', async (_what, code, expected) => {
  const none = { declaredFor: () => Promise.resolve('') };
  const own = compiler.over(none, sourcesOf({ ours: typed('string') }));
  const { items } = await own.completions(placeIn(code), SYSTEM_SCHEMA);
  expect(items.map(({ label }) => label)).toContain(expected);
});
