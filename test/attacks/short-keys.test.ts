import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';

/**
 * Whoever has one token, or a copy of the disk, tries such keys at leisure: millions in a second.
 */
test.each(['MSK_JWT_KEY', 'MSK_GRAPH_MASTER_KEY'])(
  'a %s that can be guessed is refused before anything is written, with the remedy',
  async (name) => {
    await using folder = await temporaryFolder();
    const env = { [name]: 'tr0ub4dor&3 correct horse' };
    const { code, stderr } = await TrellisProcess.startRefused({ storage: folder.path, env });
    expect(code).toBe(78);
    expect(stderr).toContain(name);
    expect(stderr).toContain('openssl rand -base64 32');
    expect(stderr).not.toContain('tr0ub4dor');
    expect(await readdir(folder.path)).toEqual([]);
  },
);
