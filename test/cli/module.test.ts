import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runTrellis } from '../support/command-line.ts';
import { temporaryFolder } from '../support/trellis-process.ts';
import { startWorkspace } from '../support/workspace.ts';

test('modules are pushed from a folder, and what does not compile with them is named', async () => {
  await using workspace = await startWorkspace();
  await using folder = await temporaryFolder();
  const { url } = workspace.server;
  const trellis = (...args: string[]) =>
    runTrellis(args, { home: folder.path, server: url, token: workspace.token });
  const lib = join(folder.path, 'lib');
  await mkdir(join(lib, 'a'), { recursive: true });
  await writeFile(
    join(lib, 'a/total.ts'),
    "import { price } from '#lib/prices.ts';\nexport const total = price;\n",
  );
  await writeFile(join(lib, 'prices.ts'), 'export const price = 1;\n');
  await writeFile(join(lib, 'prices.test.ts'), 'nothing\n');
  const pushed = await trellis('module', 'push', lib, '--json');
  expect(pushed).toMatchObject({ code: 0 });
  const list = await trellis('module', 'list', '--json');
  expect(JSON.parse(list.stdout).map(({ name }: { name: string }) => name)).toEqual([
    'a/total',
    'prices',
  ]);
  await writeFile(join(lib, 'prices.ts'), 'export const cost = 1;\n');
  const broken = await trellis('module', 'push', join(lib, 'prices.ts'));
  expect(broken.code).toBe(1);
  expect(broken.stderr).toContain('The module "a/total" does not compile with it.');
  const wrong = await trellis('module', 'delete', 'prices');
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toContain('a/total');
  expect((await trellis('module', 'get', 'prices')).stdout).toContain('cost');
  expect((await trellis('module', 'history', 'prices')).stdout).toContain('changed');
});
