import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { staleProjects } from '../../tools/compiler-projects.ts';
import { partsBelow, readImportTable, readManifest } from '../../tools/import-table.ts';
import { type Finding, ProbeRepository } from './probe-repository.ts';

const ROOT = join(import.meta.dirname, '../..');
const table = readImportTable(ROOT);
const parts = Object.keys(table.parts);
const pairs = parts.flatMap((from) =>
  parts.filter((to) => to !== from).map((to) => ({ from, to, name: `${from} -> ${to}` })),
);
const forbidden = pairs.filter(({ from, to }) => !table.parts[from]!.includes(to));

const names = (found: readonly { readonly name: string }[]): string[] =>
  found.map(({ name }) => name).toSorted();

describe('the table of imports between parts', () => {
  it('has no cycle', () => {
    for (const part of parts) expect(partsBelow(table, part)).toContain(part);
  });

  it('has a row for every part, and names parts and packages only', () => {
    const folders = readdirSync(join(ROOT, 'server/src'));
    expect(parts).toEqual(expect.arrayContaining(folders));
    const packages = ['@trellis/contract', '@trellis/endpoint', '@trellis/connector', 'samples'];
    const named = [...Object.values(table.parts), ...Object.values(table.modules)].flat();
    expect([...parts, ...packages]).toEqual(expect.arrayContaining(named));
  });

  it('lets app import everything', () => {
    const others = parts.filter((part) => part !== 'app');
    expect(table.parts['app']).toEqual(expect.arrayContaining(others));
  });

  it('is what the compiler projects say (else: npm run import-table)', () => {
    expect([...staleProjects(ROOT, table).keys()]).toEqual([]);
  });
});

describe('packages', () => {
  const dependencies = (name: string): string[] =>
    Object.keys(readManifest(ROOT, name).dependencies ?? {});

  it('contract needs zod only, endpoint and client need nothing', () => {
    expect(dependencies('contract')).toEqual(['zod']);
    expect(dependencies('endpoint')).toEqual([]);
    expect(dependencies('client')).toEqual([]);
  });

  it('server knows neither client nor cli, and cli speaks through client', () => {
    expect(dependencies('server')).not.toContain('@trellis/client');
    expect(dependencies('server')).not.toContain('@trellis/cli');
    expect(dependencies('cli')).toContain('@trellis/client');
  });
});

describe('a forbidden import', () => {
  let repository: ProbeRepository;
  let compiled: Finding[];
  let linted: Finding[];

  beforeAll(async () => {
    repository = await ProbeRepository.create(ROOT, table);
    [compiled, linted] = await Promise.all([repository.compile(), repository.lint()]);
  });
  afterAll(() => repository[Symbol.asyncDispose]());

  const of = (findings: readonly Finding[], probe: string): string[] =>
    names(findings.filter((finding) => finding.probe === probe));

  it('does not compile, and each allowed one does', () => {
    expect(forbidden.length).toBeGreaterThan(100);
    expect(of(compiled, 'parts')).toEqual(names(forbidden));
  });

  it('is an error of the linter, and each allowed one is not', () => {
    expect(of(linted, 'parts')).toEqual(names(forbidden));
  });

  it('is an error of the linter when it goes by a path', () => {
    expect(of(linted, 'paths')).toEqual(names(pairs));
  });

  it('is an error of the linter when it takes a module that other parts own', () => {
    const owned = Object.entries(table.modules);
    const refused = owned.flatMap(([module, owners]) =>
      parts.filter((part) => !owners.includes(part)).map((part) => `${part} -> ${module}`),
    );
    const unowned = parts.map((part) => `${part} -> left-pad`);
    expect(of(linted, 'modules')).toEqual([...refused, ...unowned].toSorted());
  });

  it('is an error of the linter when a test takes a part above but for app/testing', () => {
    const above = pairs.filter(({ from, to }) => !partsBelow(table, from).has(to));
    expect(of(linted, 'tests')).toEqual(names(above));
  });

  it('is an error of the linter when a package takes what it does not depend on', () => {
    expect(of(linted, 'packages')).toEqual([
      'cli -> ../../server/src/base/target.ts',
      'cli -> lmdb',
      'client -> @trellis/contract/target.ts',
      'client -> @trellis/server/target.ts',
      'client -> zod',
      'contract -> @trellis/server/target.ts',
      'endpoint -> zod',
    ]);
  });

  it('is an error of the linter when it closes a cycle of files', async () => {
    expect(await repository.lintCycle()).toMatch(/import\(no-cycle\)/);
  });
});
