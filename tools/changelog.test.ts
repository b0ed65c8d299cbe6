import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readFragments, writeRelease } from './changelog.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trellis-changelog-'));
  mkdirSync(join(folder, 'changes'));
  setVersion('26.12.1');
  writeFileSync(join(folder, 'CHANGELOG.md'), '# Changelog\n\nNewest release first.\n');
});
afterEach(() => rmSync(folder, { recursive: true }));

function setVersion(version: string): void {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ version }));
}

function change(file: string, text: string): void {
  writeFileSync(join(folder, 'changes', file), text);
}

function changelog(): string {
  return readFileSync(join(folder, 'CHANGELOG.md'), 'utf8');
}

it('puts the changes of a release together by kind, and removes their files', () => {
  change('second.fixed.md', 'Two.\n');
  change(
    'page-size.added.md',
    'Lists take `pageSize`\n([how](../docs/sdk.md)).\n\nAt most 1,000.\n',
  );
  change('first.fixed.md', 'One.');
  expect(writeRelease(folder, '2026-12-01')).toBe(3);
  expect(changelog()).toBe(`# Changelog

Newest release first.

## 26.12.1 (2026-12-01)

### Added

- Lists take \`pageSize\`
  ([how](docs/sdk.md)).

  At most 1,000.

### Fixed

- One.
- Two.
`);
  expect(readdirSync(join(folder, 'changes'))).toEqual([]);
});

it('writes a release above the older ones, which stay as they are', () => {
  change('a.added.md', 'One.');
  writeRelease(folder, '2026-12-01');
  const older = changelog().slice(changelog().indexOf('## 26.12.1'));
  setVersion('27.1.0');
  change('b.removed.md', 'Two.');
  writeRelease(folder, '2027-01-02');
  expect(changelog()).toMatch(
    /^# Changelog\n\n.*\n\n## 27\.1\.0 \(2027-01-02\)\n\n### Removed\n\n- Two\.\n\n## 26/,
  );
  expect(changelog().endsWith(`\n\n${older}`)).toBe(true);
});

it('refuses a release that is there already, and one without changes', () => {
  expect(() => writeRelease(folder, '2026-12-01')).toThrow('nothing to release');
  change('a.added.md', 'One.');
  writeRelease(folder, '2026-12-01');
  change('b.added.md', 'Two.');
  expect(() => writeRelease(folder, '2026-12-02')).toThrow('CHANGELOG.md has 26.12.1 already');
  expect(readdirSync(join(folder, 'changes'))).toEqual(['b.added.md']);
});

it('names every file that is not a change', () => {
  change('a.new.md', 'One.');
  change('b.fixed.md', '\n');
  change('c.fixed.md', '# Title');
  change('notes.txt', 'Two.');
  expect(() => readFragments(folder)).toThrow(
    /a\.new\.md: name it [^]*b\.fixed\.md: say what [^]*c\.fixed\.md: no heading[^]*notes\.txt: name it /,
  );
});

it('can read the changes of this repository', () => {
  expect(() => readFragments(join(import.meta.dirname, '..'))).not.toThrow();
});
