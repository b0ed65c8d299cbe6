import { randomBytes } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';

/** In the storage folder. */
export const SIGNING_KEY_FILE = 'jwt.key';

/**
 * The key that signs every token: `MSK_JWT_KEY`, else a random one that the storage folder keeps (mode 0600), so that sessions
 * outlive a restart (open-shapes, section 1).
 */
export async function signingKey(storage: string, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const file = join(storage, SIGNING_KEY_FILE);
  const kept = await readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (kept !== undefined && kept.trim() !== '') return kept.trim();
  const key = randomBytes(48).toString('base64url');
  const handle = await open(`${file}.new`, 'w', 0o600);
  await handle.writeFile(`${key}\n`);
  await handle.sync();
  await handle.close();
  await rename(`${file}.new`, file);
  return key;
}
