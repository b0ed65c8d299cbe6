import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorCatalogue } from '@trellis/contract/errors.ts';

const SOURCES = join(import.meta.dirname, '..');
const BUILT_IN_ENDPOINTS = join(SOURCES, '../system-endpoints');

/** Every code that the server makes a problem with, or a built-in endpoint answers. */
function usedCodes(): Set<string> {
  const used = new Set<string>();
  for (const file of globSync('**/*.ts', { cwd: SOURCES })) {
    if (file.endsWith('.test.ts') || file.includes('testing/')) continue;
    const source = readFileSync(join(SOURCES, file), 'utf8');
    for (const [, code] of source.matchAll(/new Problem\(\s*['"`]([^'"`]+)['"`]/g)) {
      used.add(code!);
    }
  }
  for (const file of globSync('**/*.ts', { cwd: BUILT_IN_ENDPOINTS })) {
    const source = readFileSync(join(BUILT_IN_ENDPOINTS, file), 'utf8');
    for (const [, code] of source.matchAll(/error: \{ code: '([^']+)'/g)) used.add(code!);
  }
  return used;
}

describe('the codes of problems', () => {
  const used = usedCodes();

  it('are all used', () => {
    expect(Object.keys(errorCatalogue).filter((code) => !used.has(code))).toEqual([]);
  });
});
