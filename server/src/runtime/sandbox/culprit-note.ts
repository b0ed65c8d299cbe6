import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BYTES = 4;

/**
 * The number of the guest at work, in a file without a name that two processes have open: what is
 * in it outlives the one that wrote it, so that the other knows whose code was at work when it
 * died.
 */
export class CulpritNote implements Disposable {
  readonly descriptor: number;

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), 'trellis-worker-'));
    try {
      this.descriptor = openSync(join(folder, 'guest'), 'wx+', 0o600);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** 0 for none. */
  read(): number {
    const bytes = Buffer.alloc(BYTES);
    return readSync(this.descriptor, bytes, 0, BYTES, 0) === BYTES ? bytes.readInt32LE() : 0;
  }

  [Symbol.dispose](): void {
    closeSync(this.descriptor);
  }
}

/**
 * Notes, in the process that runs guests, which one is at work. Made before its realm loses its
 * file system.
 */
export function culpritWriter(descriptor: number): (guest: number) => void {
  const write = writeSync;
  const bytes = Buffer.alloc(BYTES);
  return (guest) => {
    bytes.writeInt32LE(guest);
    write(descriptor, bytes, 0, BYTES, 0);
  };
}
