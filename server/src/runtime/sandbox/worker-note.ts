import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TRACE_NOTE_BYTES_MAX, TRACE_NOTES_MAX } from '#base/trace-limits.ts';
import type { NotedRead } from './read-trace.ts';

/** Of the number of a guest, and of the length of a note. */
const NUMBER_BYTES = 4;
const SLOT_BYTES = NUMBER_BYTES + TRACE_NOTE_BYTES_MAX;

/**
 * What a worker writes down while it runs: the guest at work, and what its calls have read, the
 * newest of all calls. It is in a file without a name that two processes have open: so it outlives
 * the one that wrote it, which tells nothing more once code of a guest does not come back.
 */
export class WorkerNote implements Disposable {
  readonly descriptor: number;

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), 'trellis-worker-'));
    try {
      this.descriptor = openSync(join(folder, 'note'), 'wx+', 0o600);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** The number of the guest at work; 0 for none. */
  guest(): number {
    const bytes = Buffer.alloc(NUMBER_BYTES);
    const read = readSync(this.descriptor, bytes, 0, NUMBER_BYTES, 0);
    return read === NUMBER_BYTES ? bytes.readInt32LE() : 0;
  }

  /** JSON texts of what was read, by call. A worker that was taken over may write anything. */
  reads(): ReadonlyMap<number, readonly string[]> {
    const bytes = Buffer.alloc(NUMBER_BYTES + TRACE_NOTES_MAX * SLOT_BYTES);
    const length = readSync(this.descriptor, bytes, 0, bytes.length, 0);
    const found = new Map<number, string[]>();
    for (let at = NUMBER_BYTES; at < length; at += SLOT_BYTES) {
      const start = at + NUMBER_BYTES;
      const end = Math.min(start + TRACE_NOTE_BYTES_MAX, start + bytes.readUInt32LE(at), length);
      const [, call = '', json = ''] =
        /^(\d+) ([^]*)$/.exec(bytes.toString('utf8', start, end)) ?? [];
      if (json === '') continue;
      const ofCall = found.get(Number(call)) ?? [];
      found.set(Number(call), ofCall);
      ofCall.push(json);
    }
    return found;
  }

  [Symbol.dispose](): void {
    closeSync(this.descriptor);
  }
}

/** The other side of it, in the process that runs guests. */
export interface NoteWriter {
  /** Which guest is at work; 0 for none. */
  guest(guest: number): void;
  /** What a call has just read. */
  read(call: number, read: NotedRead): void;
}

/** Made before the realm of the worker loses its file system. */
export function noteWriter(descriptor: number): NoteWriter {
  const write = writeSync;
  const number = Buffer.alloc(NUMBER_BYTES);
  const slot = Buffer.alloc(SLOT_BYTES);
  let written = 0;
  return {
    guest(guest) {
      number.writeInt32LE(guest);
      write(descriptor, number, 0, NUMBER_BYTES, 0);
    },
    read(call, read) {
      const length = slot.write(`${call} ${JSON.stringify(read)}`, NUMBER_BYTES, 'utf8');
      slot.writeUInt32LE(length, 0);
      const place = written++ % TRACE_NOTES_MAX;
      write(descriptor, slot, 0, NUMBER_BYTES + length, NUMBER_BYTES + place * SLOT_BYTES);
    },
  };
}
