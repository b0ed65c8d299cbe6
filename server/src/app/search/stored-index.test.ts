import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TEXT_INDEX_LIMITS, TextIndex } from '#search/text/text-index.ts';
import { NoIndexFiles } from './stored-index.ts';

test('an encrypted workspace has no files of the index, and says once that it takes more memory than its budget', async () => {
  const storage = mkdtempSync(join(tmpdir(), 'no-index-files-'));
  mkdirSync(join(storage, 'search'));
  writeFileSync(join(storage, 'search/segment-1'), 'words in the open');
  const notes: string[] = [];
  const index = new TextIndex(TEXT_INDEX_LIMITS);
  const { memoryBytes } = index.refresh();
  using files = new NoIndexFiles({
    storage,
    memoryBytesMax: memoryBytes,
    note: (text) => void notes.push(text),
  });
  expect(existsSync(join(storage, 'search'))).toBe(false);
  expect(await files.save(index.refresh())).toEqual(new Set());
  expect(notes).toEqual([]);
  index.add({ node: 1, type: 1, timestampMs: 0, language: '--', fields: [], facets: [] });
  const view = index.refresh();
  for (let i = 0; i < 2; i++) expect(await files.save(view)).toEqual(new Set());
  expect(index.keepWithin(files.memoryBytesMax, await files.save(view))).toBe(false);
  expect(notes).toEqual([expect.stringContaining(`${view.memoryBytes} bytes`)]);
  rmSync(storage, { recursive: true });
});
