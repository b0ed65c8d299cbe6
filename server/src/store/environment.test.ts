import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '#log/testing/temporary-folder.ts';
import { mapBytesOn, NARROW_ADDRESSES, openEnvironment } from './environment.ts';

it('does not make the folder of a store that is gone to read it', async () => {
  await using folder = await temporaryFolder();
  const storage = join(folder.path, 'gone');
  const opening = () => openEnvironment('graph', { storage, readOnly: true });
  expect(opening).toThrow(expect.objectContaining({ code: 'storage_failed' }));
  expect(existsSync(storage)).toBe(false);
});

it('leaves room for a second store, and for the rest of the process, on a small kernel', () => {
  const { graph, vault } = mapBytesOn('arm64');
  expect(2 * (graph + vault)).toBeLessThan(NARROW_ADDRESSES * 0.75);
  expect(mapBytesOn('x64').graph).toBeGreaterThan(graph);
});
