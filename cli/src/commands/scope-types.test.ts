import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scratchFolder, trellis } from '../testing/command-line.ts';
import { startService } from '../testing/service.ts';

async function startTypes() {
  const texts = ['"first"', '"first"', '"second"'];
  const watcher = new AbortController();
  let asked = 0;
  const service = await startService({
    'GET /api/build/program-types': () => ({ body: 'export interface Endpoints {}' }),
    'GET /api/build/types': () => {
      const text = texts[Math.min(asked++, texts.length - 1)];
      if (asked > texts.length) watcher.abort();
      return { body: text === undefined ? '' : JSON.parse(text) };
    },
  });
  return { ...service, server: ['--server', service.url], watcher };
}

it('prints the types, or writes them to a file that is left alone when it is the same', async () => {
  const { server } = await startTypes();
  expect((await trellis(['types', ...server])).stdout).toBe('"first"\n');
  const file = join(scratchFolder(), 'trellis.d.ts');
  const written = await trellis(['types', '--out', file, ...server]);
  expect([written.code, written.stderr]).toEqual([0, `Wrote ${file}.\n`]);
  expect(readFileSync(file, 'utf8')).toBe('"first"');
});

it('watches: writes again when the types have changed, until it is interrupted', async () => {
  const { server, watcher } = await startTypes();
  const file = join(scratchFolder(), 'trellis.d.ts');
  const args = ['types', '--out', file, '--watch', '--interval', '1', ...server];
  const { stderr } = await trellis(args, { signal: watcher.signal });
  expect(stderr).toBe(`Wrote ${file}.\nWrote ${file}.\ninterrupted\n`);
  expect(readFileSync(file, 'utf8')).toBe('"second"');
  expect(statSync(file).size).toBe(8);
});

it('writes the module of programs, also beside the other', async () => {
  const { server } = await startTypes();
  const [module, scope] = ['workspace.ts', 'trellis.d.ts'].map((name) =>
    join(scratchFolder(), name),
  );
  const alone = await trellis(['types', '--program', String(module), '--json', ...server]);
  expect(JSON.parse(alone.stdout)).toEqual({ program: { file: module, isWritten: true } });
  expect(readFileSync(String(module), 'utf8')).toContain('interface Endpoints {}');
  const files = ['--program', String(module), '--out', String(scope)];
  const both = await trellis(['types', ...files, ...server]);
  expect(both.stderr).toBe(`Wrote ${scope}.\n${module} is up to date.\n`);
});

it('needs a file to watch', async () => {
  const { code, stderr } = await trellis(['types', '--watch']);
  expect(code).toBe(2);
  expect(stderr).toContain('--watch needs --out or --program');
});
