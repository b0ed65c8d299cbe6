import { existsSync, readdirSync, statSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { logCorrupt, logTrimmed, requireReadable } from './log-problem.ts';
import { MANIFEST_FILE, openCipher, readLogManifest } from './log-manifest.ts';
import { readNewest, readRecords, type SegmentSource } from './segment-reader.ts';
import { isSegmentFile, readSegmentHeader, Segment } from './segment.ts';
import type { CommitLog, LogRecord } from './commit-log.ts';
import type { RecordCipher } from './record-cipher.ts';

/** How far the log is durable, as the thread that writes it tells the others. */
export interface DurableEnd {
  get(): number;
  /** Calls the listener with every newer sequence. Returns a function that stops this. */
  onChange(listener: (lastSequence: number) => void): () => void;
}

export interface LogTailOptions {
  readonly folder: string;
  /** The key of the log. */
  readonly encryptionKey?: Uint8Array;
  readonly durable: DurableEnd;
}

/** The part of a log that one thread can use while another thread of the process writes the log. */
export type LogTail = Pick<
  CommitLog,
  'epoch' | 'firstSequence' | 'lastSequence' | 'read' | 'onDurable'
>;

/**
 * Opens the commit log of a folder for reading, beside the thread that writes it: it takes no lock
 * and changes nothing. Rejects with `wrong_master_key`, and with `log_corrupt` when there is no
 * log.
 */
export async function openLogTail(options: LogTailOptions): Promise<LogTail> {
  const { folder, encryptionKey } = options;
  const manifest = await readLogManifest(folder);
  if (manifest === undefined) {
    const file = join(folder, MANIFEST_FILE);
    throw logCorrupt({ file, offset: 0, reason: 'there is no log' });
  }
  const cipher = openCipher(folder, manifest, encryptionKey, randomBytes);
  return new SegmentTail(options, manifest.epoch, cipher);
}

class SegmentTail implements LogTail, SegmentSource {
  readonly epoch: string;
  readonly cipher: RecordCipher | undefined;
  readonly #options: LogTailOptions;
  /**
   * The known segments, by file name. They are kept from one read to the next, so that their
   * indexes are kept too.
   */
  #known = new Map<string, Segment>();

  constructor(options: LogTailOptions, epoch: string, cipher: RecordCipher | undefined) {
    this.#options = options;
    this.epoch = epoch;
    this.cipher = cipher;
  }

  get segments(): readonly Segment[] {
    return [...this.#known.values()];
  }

  get firstSequence(): number {
    return this.#firstOf(this.#names());
  }

  get lastSequence(): number {
    return this.#options.durable.get();
  }

  read(from: number): AsyncIterable<LogRecord> {
    requireReadable(from, this);
    return this.#records(from, this.lastSequence);
  }

  onDurable(listener: (lastSequence: number) => void): () => void {
    return this.#options.durable.onChange(listener);
  }

  isDropped({ path }: Segment): boolean {
    return !existsSync(path);
  }

  async *#records(from: number, last: number): AsyncGenerator<LogRecord> {
    const oldest = await this.#look();
    if (from <= last && from < oldest) throw logTrimmed(from, oldest);
    yield* readNewest(this, from, last) ?? readRecords(this, from, last);
  }

  /** Reads which segments there are now, and where each ends; the first sequence of the log. */
  async #look(): Promise<number> {
    const names = this.#names();
    const known = new Map<string, Segment>();
    for (const name of names) {
      const segment = this.#known.get(name) ?? (await this.#open(name));
      if (segment !== undefined) known.set(name, segment);
    }
    const segments = [...known.values()];
    for (const [i, segment] of segments.entries()) {
      const next = segments[i + 1];
      segment.last = next === undefined ? this.lastSequence : next.first - 1;
      segment.bytes = statSync(segment.path, { throwIfNoEntry: false })?.size ?? segment.bytes;
    }
    this.#known = known;
    return this.#firstOf(names);
  }

  #firstOf([oldest]: readonly string[]): number {
    return oldest === undefined ? this.lastSequence + 1 : Number.parseInt(oldest, 10);
  }

  /** The segment; undefined when it was trimmed in the meantime. */
  async #open(name: string): Promise<Segment | undefined> {
    const path = join(this.#options.folder, name);
    const found = await readSegmentHeader(path).catch((error: unknown) => {
      if (existsSync(path)) throw error;
      return undefined;
    });
    if (found === undefined) return undefined;
    const { header, bytes } = found;
    if (typeof header === 'string') throw logCorrupt({ file: path, offset: 0, reason: header });
    if (header.epoch !== this.epoch) {
      const reason = `its epoch is ${header.epoch}, not ${this.epoch}`;
      throw logCorrupt({ file: path, offset: 0, reason });
    }
    const { newestTime } = header.previous;
    return new Segment(path, header, { bytes, last: header.first - 1, newestTime });
  }

  #names(): string[] {
    return readdirSync(this.#options.folder).filter(isSegmentFile).toSorted();
  }
}
