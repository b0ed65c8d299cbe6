import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { operationTable, TABLE_FILE } from './operation-table.ts';

it('is what the contract says: else run `npm run operation-table`', () => {
  const root = resolve(import.meta.dirname, '..');
  expect(readFileSync(join(root, TABLE_FILE), 'utf8')).toBe(operationTable());
});
