import { createHash } from 'node:crypto';
import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CommandFailure } from '../failure.ts';
import type { Terminal } from '../terminal.ts';

/** How much of each end of a file goes into its identity. */
const IDENTITY_BYTES = 64 * 1024;

/** A file or standard input, gzipped or not; standard input can be read once only. */
export class InputFile {
  readonly name: string;
  /** Size of the file on the disk; undefined for standard input. */
  readonly bytesTotal: number | undefined;
  readonly identity: string | undefined;
  readonly #open: () => Readable;
  #bytesRead = 0;

  /** "-" is standard input. */
  constructor(path: string, terminal: Terminal) {
    if (path === '-') {
      this.name = 'standard input';
      this.#open = () => terminal.stdin;
    } else {
      const { bytes, identity } = inspect(path);
      this.name = basename(path);
      this.bytesTotal = bytes;
      this.identity = identity;
      this.#open = () => createReadStream(path, { highWaterMark: 256 * 1024 });
    }
  }

  /** Compressed bytes, when they are. */
  get bytesRead(): number {
    return this.#bytesRead;
  }

  /** The content, decompressed when it begins as gzip does. */
  async *chunks(): AsyncGenerator<Buffer, void, undefined> {
    const raw = this.#counted();
    const first = await raw.next();
    if (first.done === true) return;
    const whole = prepend(first.value, raw);
    if (first.value[0] === 0x1f && first.value[1] === 0x8b) yield* this.#gunzip(whole);
    else yield* whole;
  }

  async *#counted(): AsyncGenerator<Buffer, void, undefined> {
    this.#bytesRead = 0;
    for await (const chunk of this.#open()) {
      const bytes = Buffer.from(chunk as Buffer | string);
      this.#bytesRead += bytes.length;
      yield bytes;
    }
  }

  async *#gunzip(compressed: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    // What goes wrong comes out of the reading end: there is nothing left to do for the callback.
    const content: AsyncIterable<Buffer> = pipeline(compressed, createGunzip(), () => {});
    try {
      yield* content;
    } catch (cause) {
      if (!isZlibError(cause)) throw cause;
      throw new CommandFailure(`${this.name} cannot be decompressed: ${cause.message}`, { cause });
    }
  }
}

function isZlibError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}

async function* prepend(
  first: Buffer,
  rest: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  yield first;
  yield* rest;
}

/**
 * A file is the same when its size, its time of change and both its ends are: reading all of a
 * large file twice, only to know that, would cost more than it protects from, as every operation of
 * an import may be repeated.
 */
function inspect(path: string): { bytes: number; identity: string } {
  const file = openSync(path, 'r');
  try {
    const { size, mtimeMs } = fstatSync(file);
    const hash = createHash('sha256').update(`${size} ${mtimeMs} `);
    const end = Buffer.alloc(Math.min(size, IDENTITY_BYTES));
    for (const position of [0, size - end.length]) {
      hash.update(end.subarray(0, readSync(file, end, 0, end.length, position)));
    }
    return { bytes: size, identity: hash.digest('hex') };
  } finally {
    closeSync(file);
  }
}
