import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * Writes the section of a release into CHANGELOG.md, above the older ones: `npm run changelog`,
 * once the version in package.json is that of the release. Each change is a file in `changes`,
 * which this removes. So two branches never change the same lines. Example:
 * `changes/page-size.added.md` has the text "Lists take `pageSize`, up to 1,000." and becomes an
 * item under "Added".
 */
const KINDS = ['added', 'changed', 'deprecated', 'removed', 'fixed', 'security'] as const;
const FILE_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*\.([a-z]+)\.md$/;

export interface Fragment {
  readonly file: string;
  readonly kind: string;
  readonly text: string;
}

/** In the order of their names. Throws an error that names every fault. */
export function readFragments(root: string): Fragment[] {
  const folder = join(root, 'changes');
  const names = existsSync(folder) ? readdirSync(folder).toSorted() : [];
  const fragments = names.map((file) => {
    const kind = FILE_NAME.exec(file)?.[1] ?? '';
    return { file, kind, text: readFileSync(join(folder, file), 'utf8').trim() };
  });
  const faults = fragments.flatMap(({ file, kind, text }) => faultsOf(kind, text, file));
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return fragments;
}

function faultsOf(kind: string, text: string, file: string): string[] {
  const known: readonly string[] = KINDS;
  return [
    ...(known.includes(kind)
      ? []
      : [`changes/${file}: name it SUBJECT.KIND.md; KIND is one of ${known.join(', ')}.`]),
    ...(text === '' ? [`changes/${file}: say what changed; the file is empty.`] : []),
    ...(text.startsWith('#')
      ? [`changes/${file}: no heading; its text becomes an item of a list.`]
      : []),
  ];
}

/** Returns how many changes it took. `day` is an ISO date. */
export function writeRelease(root: string, day: string): number {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const file = join(root, 'CHANGELOG.md');
  const before = readFileSync(file, 'utf8');
  if (before.includes(`\n## ${version} `)) {
    throw new Error(
      `CHANGELOG.md has ${version} already: raise the version in package.json first.`,
    );
  }
  const fragments = readFragments(root);
  if (fragments.length === 0) throw new Error('There is no file in "changes": nothing to release.');
  const section = sectionOf(`${version} (${day})`, fragments);
  // The text before the first release stays on top.
  const [head = '', ...releases] = before.split(/^(?=## )/m);
  writeFileSync(file, [`${head.trimEnd()}\n`, section, ...releases].join('\n').trimEnd() + '\n');
  for (const fragment of fragments) rmSync(join(root, 'changes', fragment.file));
  return fragments.length;
}

/** Changes by their kind, as they stand in CHANGELOG.md. */
export function sectionOf(title: string, fragments: readonly Fragment[]): string {
  return `## ${title}\n${KINDS.map((kind) => listOf(kind, fragments)).join('')}`;
}

function listOf(kind: string, fragments: readonly Fragment[]): string {
  const items = fragments.filter((fragment) => fragment.kind === kind).map(itemOf);
  if (items.length === 0) return '';
  return `\n### ${kind.charAt(0).toUpperCase()}${kind.slice(1)}\n\n${items.join('\n')}\n`;
}

/** Links lead from `changes` to where CHANGELOG.md is; further lines belong to the item. */
function itemOf({ text }: Fragment): string {
  return `- ${text.replaceAll('](../', '](').replaceAll(/\n(?=.)/g, '\n  ')}`;
}

if (import.meta.main) {
  const count = writeRelease(
    resolve(import.meta.dirname, '..'),
    new Date().toISOString().slice(0, 10),
  );
  process.stdout.write(`Changes written to CHANGELOG.md: ${count}\n`);
}
