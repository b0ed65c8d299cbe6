import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { Random } from './random.ts';

/**
 * The random bytes of the whole process come from the seed until disposed of. Nonces have no
 * influence on what a cluster does, except where a changed message is read: then what stands there
 * decides how it fails.
 */
export function seedRandomBytes(random: Random): Disposable {
  const { randomBytes } = crypto;
  const replace = (by: (size: number) => Buffer): void => {
    Object.assign(crypto, { randomBytes: by });
    syncBuiltinESMExports();
  };
  replace((size) => Buffer.from(Array.from({ length: size }, () => random.between(0, 255))));
  return { [Symbol.dispose]: () => replace(randomBytes) };
}
