import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32c } from '../crc32c.ts';
import type { EnvironmentName } from '../environment.ts';
import { LMDB_FILE } from '../lmdb-file/page-format.ts';
import { SteadyEnvironment } from '../steady/steady-environment.ts';
import { STEADY_FILE } from '../steady/steady-file.ts';

const PAGE_BYTES = 4096;
const SECTOR_BYTES = 512;
/** Where each of the two slots of a steady file is; the rest is as `steady-file.ts` says. */
const SLOTS_AT = [0, PAGE_BYTES] as const;
const NUMBER_AT = 16;
const RECORD_BYTES = 248;

/**
 * Remembers what is surely on the device: the files as they were when their last completed sync
 * began.
 */
export class DeviceImages {
  readonly #synced = new Map<string, Buffer>();

  /** Call this before the environments are opened. Returns what takes it back. */
  watch(): Disposable {
    const { prototype } = SteadyEnvironment;
    const { begin, sync } = prototype;
    const begun = new Map<string, Buffer>();
    const synced = this.#synced;
    prototype.begin = function () {
      begun.set(this.path, readFileSync(join(this.path, LMDB_FILE)));
      return begin.call(this);
    };
    prototype.sync = async function () {
      const image = begun.get(this.path)!;
      await sync.call(this);
      synced.set(this.path, image);
    };
    return { [Symbol.dispose]: () => Object.assign(prototype, { begin, sync }) };
  }

  /** Undefined while nothing is surely on the device. */
  of(path: string): Buffer | undefined {
    return this.#synced.get(path);
  }
}

/**
 * A file after a power failure: each page that was written since the last sync is old, new, torn
 * between sectors, or, if the file was shorter, zeros. The end may be missing.
 */
export function afterPowerFailure(synced: Buffer, written: Buffer, random: () => number): Buffer {
  const mixed = Buffer.from(written);
  for (let page = 0; page * PAGE_BYTES < written.length; page++) {
    const start = page * PAGE_BYTES;
    const old = Buffer.alloc(PAGE_BYTES);
    old.set(synced.subarray(start, start + PAGE_BYTES));
    const choice = random();
    // A disk writes whole sectors.
    const torn = SECTOR_BYTES * Math.floor(random() * (PAGE_BYTES / SECTOR_BYTES));
    if (choice < 0.45) old.copy(mixed, start);
    else if (choice < 0.6) old.copy(mixed, start, 0, torn);
    else if (choice < 0.7) old.copy(mixed, start + torn, torn);
  }
  if (random() < 0.5 || written.length <= synced.length) return mixed;
  const pages = (written.length - synced.length) / PAGE_BYTES;
  return mixed.subarray(0, synced.length + PAGE_BYTES * Math.floor(random() * pages));
}

/** The steady file, as if all of it had been written before the machine went down. */
export function afterAnotherBoot(steady: Buffer): Buffer {
  const changed = Buffer.from(steady);
  for (const at of SLOTS_AT) {
    changed.write('another boot'.padEnd(36), at + 40, 'latin1');
    const crc = crc32c(changed, at + NUMBER_AT, at + RECORD_BYTES, crc32c(changed, at, at + 12));
    changed.writeUInt32BE(crc, at + 12);
  }
  return changed;
}

/** The steady file, with the slot torn that is written next. */
export function withTornSlot(steady: Buffer, random: () => number): Buffer {
  const torn = Buffer.from(steady);
  const [first, second] = SLOTS_AT.map((at) => torn.readBigUInt64BE(at + NUMBER_AT));
  const at = SLOTS_AT[first! > second! ? 1 : 0];
  for (let i = 0; i < RECORD_BYTES; i++) {
    if (random() < 0.5) torn[at + i] = Math.floor(random() * 256);
  }
  return torn;
}

export function readFiles(
  storage: string,
  name: EnvironmentName,
): { data: Buffer; steady: Buffer } {
  const folder = join(storage, name);
  return {
    data: readFileSync(join(folder, LMDB_FILE)),
    steady: readFileSync(join(folder, STEADY_FILE)),
  };
}

export function writeFiles(
  storage: string,
  name: EnvironmentName,
  files: { readonly data: Buffer; readonly steady: Buffer },
): void {
  const folder = join(storage, name);
  writeFileSync(join(folder, LMDB_FILE), files.data);
  writeFileSync(join(folder, STEADY_FILE), files.steady);
}
