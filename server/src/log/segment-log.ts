import { randomBytes } from 'node:crypto';
import { writevSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { OneAtATime } from '#base/one-at-a-time.ts';
import type { Clock } from '#base/clock.ts';
import type { CommitLog, LogRecord } from './commit-log.ts';
import { CommitQueue, type QueuedCommit } from './commit-queue.ts';
import { createFolderDurably, syncFolder, unlessMissing, writeAll } from './durable-file.ts';
import { lockFolder } from './folder-lock.ts';
import {
  type LogManifest,
  newLogManifest,
  openCipher,
  readLogManifest,
  writeLogManifest,
} from './log-manifest.ts';
import { errorCode, requireReadable, storageProblem } from './log-problem.ts';
import { CIPHER_OVERHEAD_BYTES, type RandomBytes, type RecordCipher } from './record-cipher.ts';
import { readRecords, type SegmentSource } from './segment-reader.ts';
import { type EncodedGroup, encodeGroup, RECORD_HEADER_BYTES } from './record.ts';
import { clearUnfinishedLog, recoverSegments, type RecoveryNote } from './recovery.ts';
import {
  type ArchiveRule,
  bytesAfter,
  droppableSegments,
  segmentBytesMaxDefault,
} from './retention.ts';
import { createSegment, NO_PREVIOUS_SEGMENT, type Segment } from './segment.ts';
import { dirname } from 'node:path';

export interface SegmentLogOptions {
  /** Made when it is missing. Holds `log.json`, the segments and `lock`. */
  readonly folder: string;
  readonly clock: Clock;
  /**
   * 32 bytes; absent for a log that is not encrypted. A log is encrypted from its first start on,
   * or never.
   */
  readonly encryptionKey?: Uint8Array;
  /**
   * A new segment begins when the newest one has reached this size. The default follows from the
   * archive rule.
   */
  readonly segmentBytesMax?: number;
  readonly archive: ArchiveRule;
  /**
   * Where a new log begins, for example after a snapshot. The default is a new history at sequence
   * 1.
   */
  readonly beginning?: LogBeginning;
  /** Called when a write that a crash interrupted was cut off. */
  readonly onRecovery?: (note: RecoveryNote) => void;
  readonly random?: RandomBytes;
}

export interface LogBeginning {
  /**
   * The epoch of the history that the log continues. Without it the log gets a new one, as at a
   * promotion.
   */
  readonly epoch?: string;
  /** The sequence that its first commit follows. */
  readonly after: number;
}

/**
 * Opens the commit log in a folder, or begins one. A start is quick, however large the log is: the
 * chain of segments is checked by headers and lengths, and only the records of the newest segment
 * are read. Older records are checked when they are read.
 *
 * Rejects, having changed nothing, with the problems `storage_in_use`, `wrong_master_key`,
 * `log_corrupt`; with `storage_full` or `storage_failed` when the folder cannot be read or written.
 */
export async function openSegmentLog(options: SegmentLogOptions): Promise<CommitLog> {
  try {
    await using parts = new AsyncDisposableStack();
    const { folder } = options;
    await createFolderDurably(folder);
    parts.use(lockFolder(folder));
    const random = options.random ?? randomBytes;
    const manifest = (await readLogManifest(folder)) ?? (await beginLog(options, random));
    const cipher = openCipher(folder, manifest, options.encryptionKey, random);
    const segments = await recoverSegments(folder, manifest, options.onRecovery ?? (() => {}));
    const { segmentBytesMax = segmentBytesMaxDefault(options.archive) } = options;
    const writer = parts.use(
      await SegmentWriter.open({ folder, segments, cipher, segmentBytesMax }),
    );
    return new SegmentLog(options, { manifest, cipher, segments, writer, resources: parts.move() });
  } catch (error) {
    throw errorCode(error) === undefined ? error : storageProblem('opening the commit log', error);
  }
}

async function beginLog(options: SegmentLogOptions, random: RandomBytes): Promise<LogManifest> {
  const { folder, encryptionKey, beginning } = options;
  const first = (beginning?.after ?? 0) + 1;
  await clearUnfinishedLog(folder, first);
  const manifest = newLogManifest(encryptionKey, random, beginning?.epoch);
  const encrypted = manifest.encryption !== null;
  const previous = NO_PREVIOUS_SEGMENT;
  await createSegment(folder, { epoch: manifest.epoch, encrypted, first, previous });
  await writeLogManifest(folder, manifest);
  return manifest;
}

interface SegmentLogParts {
  readonly manifest: LogManifest;
  readonly cipher: RecordCipher | undefined;
  /** Oldest first, never empty. New records go to the last one. */
  readonly segments: Segment[];
  readonly writer: SegmentWriter;
  /** What is released when the log is closed. */
  readonly resources: AsyncDisposableStack;
}

class SegmentLog implements CommitLog, SegmentSource {
  readonly #options: SegmentLogOptions;
  readonly #parts: SegmentLogParts;
  readonly #queue: CommitQueue;
  /** One after the other, so that the log has no gaps. */
  readonly #trims = new OneAtATime();

  constructor(options: SegmentLogOptions, parts: SegmentLogParts) {
    this.#options = options;
    this.#parts = parts;
    this.#queue = new CommitQueue({
      clock: options.clock,
      lastSequence: parts.segments.at(-1)!.last,
      write: (group) => parts.writer.write(group),
    });
  }

  get epoch(): string {
    return this.#parts.manifest.epoch;
  }

  get segments(): readonly Segment[] {
    return this.#parts.segments;
  }

  get cipher(): RecordCipher | undefined {
    return this.#parts.cipher;
  }

  isDropped({ dropped }: Segment): boolean {
    return dropped;
  }

  get firstSequence(): number {
    return this.#parts.segments.find((segment) => !segment.dropped)!.first;
  }

  get lastSequence(): number {
    return this.#queue.lastSequence;
  }

  append(count: number, payload: Uint8Array, time?: number): Promise<number> {
    return this.#queue.append(count, payload, time);
  }

  read(from: number): AsyncIterable<LogRecord> {
    requireReadable(from, this);
    return readRecords(this, from, this.lastSequence);
  }

  onDurable(listener: (lastSequence: number) => void): () => void {
    return this.#queue.onDurable(listener);
  }

  bytesAfter(sequence: number): number {
    return bytesAfter(this.#parts.segments, sequence);
  }

  trim(keepAfter: number): Promise<void> {
    return this.#trims.run(() => this.#dropSegments(keepAfter));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue.close();
    await this.#trims.ended();
    await this.#parts.resources.disposeAsync();
  }

  /** Removes the oldest first, each durably before the next, so that a crash leaves no gap. */
  async #dropSegments(keepAfter: number): Promise<void> {
    const { folder, archive, clock } = this.#options;
    const { segments } = this.#parts;
    const dropped = segments.slice(0, droppableSegments(segments, keepAfter, archive, clock.now()));
    for (const segment of dropped) {
      segment.dropped = true;
      try {
        await rm(segment.path, { force: true });
        await syncFolder(folder);
      } catch (error) {
        throw storageProblem(`deleting ${segment.path}`, error);
      }
      segments.shift();
    }
  }
}

/** Groups up to this size are written in the calling thread; only their sync is waited for. */
const WRITTEN_AT_ONCE_BYTES_MAX = 64 * 1024;
/** What one call may take everywhere. */
const CHUNKS_AT_ONCE_MAX = 1_024;

interface SegmentWriterOptions {
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
class SegmentWriter implements AsyncDisposable {
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
      await this.#writeAt(encoded, bytes);
      await this.#file.datasync();
    } catch (error) {
      this.#hasRemains = true;
      // This is tried at once, since the fault may have been short. If it fails, the next write
      // tries again before it does anything else.
      await this.#removeRemains().catch(() => undefined);
      throw storageProblem(`writing ${segment.path}`, error);
    }
    this.#extend(segment, group, encoded);
  }

  /** A small group only goes into the memory of the system, which takes less time than a turn. */
  async #writeAt({ chunks, bytes }: EncodedGroup, position: number): Promise<void> {
    const isWritten =
      bytes <= WRITTEN_AT_ONCE_BYTES_MAX &&
      chunks.length <= CHUNKS_AT_ONCE_MAX &&
      writevSync(this.#file.fd, chunks, position) === bytes;
    if (!isWritten) await writeAll(this.#file, chunks, position);
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
   * Cuts off a write that failed. The file is synced, so that the write does not come back as a
   * commit after a power failure.
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

  /** Moves the durable end to after a group. From then on the group may be read. */
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

const REMOVED = '.removed';

/**
 * Durably removes a log that nobody has open. After a crash either the whole log is there, or none
 * of it.
 */
export async function removeLog(folder: string): Promise<void> {
  await rm(folder + REMOVED, { recursive: true, force: true });
  await unlessMissing(rename(folder, folder + REMOVED));
  await syncFolder(dirname(folder));
  await rm(folder + REMOVED, { recursive: true, force: true });
}
