import { readFileSync } from 'node:fs';

const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id';

/**
 * What the machine calls itself until it goes down: 36 characters. As long as it is the same, the
 * system still has all that a killed process has written. Empty where the system has no such name.
 */
export function readBootId(): string {
  try {
    return readFileSync(BOOT_ID_FILE, 'latin1').trim();
  } catch {
    return '';
  }
}

/** As LMDB writes it: the number that the name begins with. */
export function bootNumber(bootId: string): bigint {
  const digits = /^[\da-f]+/i.exec(bootId)?.[0];
  return digits === undefined ? 0n : BigInt(`0x${digits}`);
}
