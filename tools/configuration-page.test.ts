import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { variables } from '../server/src/config/variables.ts';
import { configurationPage, PAGE_FILE } from './configuration-page.ts';

it('is what the table of variables says: else run `npm run configuration-page`', () => {
  const root = resolve(import.meta.dirname, '..');
  expect(readFileSync(join(root, PAGE_FILE), 'utf8')).toBe(configurationPage());
});

it('has a section for each variable, with type, default and whether it is secret', () => {
  const page = configurationPage();
  const names = [...page.matchAll(/^### (\w+)$/gm)].map(([, name]) => name);
  expect(names).toEqual(Object.keys(variables));
  expect(page).toContain('### MSK_PORT\n\n*port, default `8080`*\n\nPort of ');
  expect(page).toContain('### MSK_JWT_KEY\n\n*key, secret*\n\nSigns ');
});
