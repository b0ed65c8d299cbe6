import { readFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import { spawnSync } from 'node:child_process';
import { isTestCode } from './import-table.ts';

/**
 * Prints how large each part is and how its files depend on each other: `npm run shape`. Tests do
 * not count. `code` counts the lines that are neither blank nor a comment. A circle is a group of
 * files that import each other, types included. A repeated line is one of six lines in a row that
 * occur elsewhere too.
 */
interface Code {
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  /** Lines that are neither blank nor a comment. */
  readonly code: number;
}

const ROOT = resolve(import.meta.dirname, '..');
const SMALL_LINES = 20;
const REPEATED_LINES = 6;

const tracked = spawnSync('git', ['ls-files', '*.ts', '*.tsx'], { cwd: ROOT, encoding: 'utf8' });
const files = tracked.stdout
  .split('\n')
  .filter((path) => path !== '' && !path.endsWith('.d.ts') && !isTestCode(path))
  .map((path): Code => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    const lines = text.split('\n').slice(0, -1);
    const code = lines.filter((line) => !/^\s*(?:$|\/\/|\/\*|\*)/.test(line));
    return { path, text, lines: lines.length, code: code.length };
  });

const parts = Map.groupBy(files, ({ path }) => path.split('/')[0] ?? '');
const rows = [...parts, ['all', files] as const].map(([part, own]) => {
  const lines = own.map((file) => file.lines).toSorted((a, b) => a - b);
  return {
    part,
    files: own.length,
    lines: lines.reduce((sum, one) => sum + one, 0),
    code: own.reduce((sum, file) => sum + file.code, 0),
    median: lines[Math.floor(lines.length / 2)],
    [`under ${SMALL_LINES} lines`]: lines.filter((one) => one < SMALL_LINES).length,
    circles: circles(own).length,
    'repeated lines': repeatedLines(own),
  };
});
console.table(Object.fromEntries(rows.map(({ part, ...row }) => [part, row])));
for (const circle of circles(files)) {
  process.stdout.write(`circle: ${circle.toSorted().join(', ')}\n`);
}

/** Groups of files each of which reaches the others (Tarjan, 1972). */
function circles(own: readonly Code[]): string[][] {
  const imports = new Map(own.map((file) => [file.path, importsOf(file)]));
  const numbers = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (path: string): number => {
    const number = numbers.size;
    numbers.set(path, number);
    stack.push(path);
    let low = number;
    for (const next of imports.get(path) ?? []) {
      if (!imports.has(next)) continue;
      if (!numbers.has(next)) low = Math.min(low, visit(next));
      else if (stack.includes(next))
        low = Math.min(low, lowest.get(next) ?? numbers.get(next) ?? 0);
    }
    lowest.set(path, low);
    if (low === number) {
      const group = stack.splice(stack.indexOf(path));
      if (group.length > 1) found.push(group);
    }
    return low;
  };
  for (const path of imports.keys()) if (!numbers.has(path)) visit(path);
  return found;
}

/** The files that this one names, by their paths from the root. */
function importsOf({ path, text }: Code): string[] {
  const specifiers = text.matchAll(/^(?:import|export)\b[^;]*?\bfrom '([^']+)'/gm);
  return [...specifiers].flatMap(([, specifier = '']) => {
    if (specifier.startsWith('.')) return [normalize(join(dirname(path), specifier))];
    if (specifier.startsWith('#')) return [`server/src/${specifier.slice(1)}`];
    const [, name, rest] = /^@trellis\/(\w+)\/(.+)$/.exec(specifier) ?? [];
    return name === undefined ? [] : [`${name}/src/${rest}`];
  });
}

function repeatedLines(own: readonly Code[]): number {
  const places = new Map<string, [string, number][]>();
  for (const { path, text } of own) {
    const lines = text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => /\w/.test(line) && !/^(?:import|\*|\/\/|\/\*\*)/.test(line));
    for (let at = 0; at + REPEATED_LINES <= lines.length; at++) {
      const window = lines.slice(at, at + REPEATED_LINES).join('\n');
      const known = places.get(window);
      if (known === undefined) places.set(window, [[path, at]]);
      else known.push([path, at]);
    }
  }
  const repeated = new Set<string>();
  for (const all of places.values()) {
    if (all.length < 2) continue;
    for (const [path, at] of all) {
      for (let i = 0; i < REPEATED_LINES; i++) repeated.add(`${path} ${at + i}`);
    }
  }
  return repeated.size;
}
