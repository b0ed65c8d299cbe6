import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { variables } from '../server/src/config/variables.ts';
import { configurationPage, PAGE_FILE } from './configuration-page.ts';

it('is what the table of variables says: else run `npm run configuration-page`', () => {
  const root = resolve(import.meta.dirname, '..');
  expect(readFileSync(join(root, PAGE_FILE), 'utf8')).toBe(configurationPage());
});

it('has one row of five cells for each variable', () => {
  const rows = configurationPage()
    .split('\n')
    .filter((line) => /^\| `(?:MSK|TRELLIS)_/.test(line));
  expect(rows.map((row) => /`(\w+)`/.exec(row)?.[1])).toEqual(Object.keys(variables));
  for (const row of rows) expect(row.split(' | ')).toHaveLength(5);
});
