import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '#log/testing/temporary-folder.ts';
import { openEnvironment } from './environment.ts';

it('does not make the folder of a store that is gone to read it', async () => {
  await using folder = await temporaryFolder();
  const storage = join(folder.path, 'gone');
  const opening = () => openEnvironment('graph', { storage, readOnly: true });
  expect(opening).toThrow(expect.objectContaining({ code: 'storage_failed' }));
  expect(existsSync(storage)).toBe(false);
});
