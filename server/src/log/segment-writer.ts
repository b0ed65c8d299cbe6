import { open } from 'node:fs/promises';
import { writeAll } from './durable-file.ts';
import { storageProblem } from './log-problem.ts';
import { RECORD_HEADER_BYTES, encodeGroup } from './record.ts';
import { CIPHER_OVERHEAD_BYTES } from './record-cipher.ts';
import { createSegment } from './segment.ts';
import type { FileHandle } from 'node:fs/promises';
import type { QueuedCommit } from './commit-queue.ts';
import type { EncodedGroup } from './record.ts';
import type { RecordCipher } from './record-cipher.ts';
import type { Segment } from './segment.ts';

export interface SegmentWriterOptions {
  readonly folder: string;
  /** The log's segments, oldest first, never empty; a new one is added at the end. */
  readonly segments: Segment[];
  readonly cipher: RecordCipher | undefined;
  /** A new segment begins when the newest one has reached this. */
  readonly segmentBytesMax: number;
}

/**
 * Writes groups of commits at the end of the newest segment. Used by one commit queue, one group at
 * a time.
 */
export class SegmentWriter implements AsyncDisposable {
  readonly #options: SegmentWriterOptions;
  #file: FileHandle;
  /** Whether the file may hold something after its durable end. */
  #hasRemains = false;

  private constructor(options: SegmentWriterOptions, file: FileHandle) {
    this.#options = options;
    this.#file = file;
  }

  static async open(options: SegmentWriterOptions): Promise<SegmentWriter> {
    return new SegmentWriter(options, await open(options.segments.at(-1)!.path, 'r+'));
  }

  async write(group: readonly QueuedCommit[]): Promise<void> {
    try {
      if (this.#hasRemains) await this.#removeRemains();
      if (this.#newest.bytes >= this.#options.segmentBytesMax) await this.#beginSegment();
    } catch (error) {
      throw storageProblem('preparing the commit log for the next write', error);
    }
    const segment = this.#newest;
    const { crcSeed, last, bytes } = segment;
    const { cipher } = this.#options;
    const encoded = encodeGroup(group, { durable: last, crcSeed, cipher });
    try {
      await writeAll(this.#file, encoded.chunks, bytes);
      await this.#file.datasync();
    } catch (error) {
      this.#hasRemains = true;
      // Best tried at once, while the reason is one that passes; if it fails, the next write tries
      // again before all else.
      await this.#removeRemains().catch(() => undefined);
      throw storageProblem(`writing ${segment.path}`, error);
    }
    this.#extend(segment, group, encoded);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      if (this.#hasRemains) await this.#removeRemains();
    } finally {
      await this.#file.close();
    }
  }

  get #newest(): Segment {
    return this.#options.segments.at(-1)!;
  }

  /**
   * Cuts off a write that failed. Synced, so that it does not come back as a commit after a lost
   * power supply.
   */
  async #removeRemains(): Promise<void> {
    await this.#file.truncate(this.#newest.bytes);
    await this.#file.datasync();
    this.#hasRemains = false;
  }

  async #beginSegment(): Promise<void> {
    const { folder, segments } = this.#options;
    const { header, last, first, bytes, newestTime } = this.#newest;
    const { epoch, encrypted } = header;
    const previous = { first, bytes, newestTime };
    const segment = await createSegment(folder, { epoch, encrypted, first: last + 1, previous });
    const file = await open(segment.path, 'r+');
    segments.push(segment);
    const full = this.#file;
    this.#file = file;
    await full.close();
  }

  /** Moves the durable end after a group, which may be read from then on. */
  #extend(segment: Segment, group: readonly QueuedCommit[], encoded: EncodedGroup): void {
    const overhead = this.#options.cipher === undefined ? 0 : CIPHER_OVERHEAD_BYTES;
    let offset = segment.bytes;
    for (const { first, count, time, payload } of group) {
      segment.index.add(first, offset);
      offset += RECORD_HEADER_BYTES + payload.length + overhead;
      segment.last = first + count - 1;
      segment.newestTime = Math.max(segment.newestTime, time);
    }
    segment.bytes += encoded.bytes;
  }
}
