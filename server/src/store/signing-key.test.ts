import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '#base/clock.ts';
import { openStoreKeys } from './master-key.ts';
import { keepSigningKey, readSigningKey, SIGNING_KEY_FILE } from './signing-key.ts';

const MASTER_KEY = 'a master key for the tests of this file';

let storage: string;
beforeEach(async () => {
  storage = await mkdtemp(join(tmpdir(), 'trellis-signing-key-'));
});
afterEach(() => rm(storage, { recursive: true }));

const file = (): Promise<string> => readFile(join(storage, SIGNING_KEY_FILE), 'utf8');

describe.each([undefined, MASTER_KEY])(
  'the key that signs, with the master key %s',
  (masterKey) => {
    const options = () => ({ storage, masterKey });
    beforeEach(() => openStoreKeys({ ...options(), clock: systemClock }));

    it('is made once, and kept for this user of the machine alone', async () => {
      expect(await readSigningKey(options())).toBeUndefined();
      const key = await keepSigningKey(options());
      expect(key).toMatch(/^[\w-]{64}$/);
      expect(await keepSigningKey(options())).toBe(key);
      expect(await readSigningKey(options())).toBe(key);
      expect((await stat(join(storage, SIGNING_KEY_FILE))).mode & 0o777).toBe(0o600);
    });

    it('lies in the clear only in a store that does', async () => {
      const key = await keepSigningKey(options());
      expect((await file()).includes(key)).toBe(masterKey === undefined);
    });

    it('is kept as it is when an older version wrote it', async () => {
      await writeFile(join(storage, SIGNING_KEY_FILE), 'a key of before\n');
      expect(await keepSigningKey(options())).toBe('a key of before');
      expect((await file()).includes('a key of before')).toBe(masterKey === undefined);
      expect(await keepSigningKey(options())).toBe('a key of before');
    });

    it('is refused when the file is not what was written', async () => {
      await writeFile(join(storage, SIGNING_KEY_FILE), `sealed:${'A'.repeat(200)}\n`);
      const refused = { code: 'storage_corrupt', message: expect.stringContaining('jwt.key') };
      await expect(keepSigningKey(options())).rejects.toMatchObject(refused);
      expect(await file()).toContain('sealed:AAA');
    });
  },
);
