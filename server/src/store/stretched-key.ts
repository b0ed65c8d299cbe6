import { hashRawSync } from '@node-rs/argon2';

/**
 * How a master key was stretched, as it stands in the clear beside the salt: whoever opens must do
 * the same.
 */
export interface KeyStretching {
  readonly algorithm: 'argon2id';
  readonly memoryKib: number;
  readonly passes: number;
}

/**
 * The second recommended option of RFC 9106, section 4, in one lane: about 0.15 s and 64 MiB for
 * each guess.
 */
export const KEY_STRETCHING: KeyStretching = {
  algorithm: 'argon2id',
  memoryKib: 65_536,
  passes: 3,
};

/**
 * What a file may ask for: who can write it must not be able to make a start take an hour, or all
 * memory.
 */
export const STRETCHING_MEMORY_KIB_MAX = 1_048_576;
export const STRETCHING_PASSES_MAX = 16;

/** The enum of the library does not exist at run time. */
const ARGON2ID = 2;
const STRETCHED_BYTES = 32;

/** A thread opens the same store several times, and needs the same answer each time. */
const KEPT_MAX = 4;
const kept = new Map<string, Uint8Array>();

/**
 * What keys are derived of: the master key itself where an older version wrote, else 32 bytes that
 * are dear to compute.
 */
export function stretchedKey(
  masterKey: string,
  salt: Uint8Array,
  stretching: KeyStretching | null,
): string | Uint8Array {
  if (stretching === null) return masterKey;
  const { memoryKib, passes } = stretching;
  const name = JSON.stringify([masterKey, Buffer.from(salt).toString('hex'), memoryKib, passes]);
  const known = kept.get(name);
  if (known !== undefined) return known;
  const stretched = hashRawSync(masterKey, {
    algorithm: ARGON2ID,
    memoryCost: memoryKib,
    timeCost: passes,
    parallelism: 1,
    outputLen: STRETCHED_BYTES,
    salt,
  });
  for (const oldest of kept.keys()) {
    if (kept.size < KEPT_MAX) break;
    kept.delete(oldest);
  }
  kept.set(name, stretched);
  return stretched;
}

export function isKeyStretching(value: unknown): value is KeyStretching {
  if (typeof value !== 'object' || value === null) return false;
  const { algorithm, memoryKib, passes } = value as Partial<Record<keyof KeyStretching, unknown>>;
  return (
    algorithm === 'argon2id' &&
    isCount(memoryKib, 8, STRETCHING_MEMORY_KIB_MAX) &&
    isCount(passes, 1, STRETCHING_PASSES_MAX)
  );
}

function isCount(value: unknown, min: number, max: number): boolean {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
}
