import { randomBytes } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { CommitQueue } from './commit-queue.ts';
import { createFolderDurably, syncFolder, unlessMissing } from './durable-file.ts';
import { lockFolder } from './folder-lock.ts';
import {
  errorCode,
  logCorrupt,
  logTrimmed,
  requireReadable,
  storageProblem,
} from './log-problem.ts';
import { newManifest, openCipher, readManifest, writeManifest } from './manifest.ts';
import { decodePayload } from './record.ts';
import { clearUnfinishedLog, recoverSegments } from './recovery.ts';
import { droppableSegments, segmentBytesMaxDefault } from './retention.ts';
import { createSegment } from './segment.ts';
import { NO_PREVIOUS_SEGMENT } from './segment-header.ts';
import { scanSegment } from './segment-reader.ts';
import { SegmentWriter } from './segment-writer.ts';
import type { Clock } from '#base/clock.ts';
import type { CommitLog, LogRecord } from './commit-log.ts';
import type { Manifest } from './manifest.ts';
import type { RandomBytes, RecordCipher } from './record-cipher.ts';
import type { RecoveryNote } from './recovery.ts';
import type { ArchiveRule } from './retention.ts';
import type { Segment } from './segment.ts';
import type { FoundRecord } from './segment-reader.ts';

export interface SegmentLogOptions {
  /** Made when it is missing. Holds `log.json`, the segments and `lock`. */
  readonly folder: string;
  readonly clock: Clock;
  /** 32 bytes. A log is encrypted from its first start on, or never. */
  readonly encryptionKey?: Uint8Array;
  /**
   * A new segment begins when the newest one has reached this; by default it follows from the
   * archive rule.
   */
  readonly segmentBytesMax?: number;
  readonly archive: ArchiveRule;
  /** Told of a write that a crash cut short and that was cut off. */
  readonly onRecovery?: (note: RecoveryNote) => void;
  readonly random?: RandomBytes;
}

/**
 * Opens the commit log in a folder, or begins one. A start is quick whatever the log holds: the
 * chain of segments is checked by headers and lengths, only the newest segment's records are read;
 * older ones are checked when they are read.
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
    const manifest = (await readManifest(folder)) ?? (await beginLog(options, random));
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

async function beginLog(options: SegmentLogOptions, random: RandomBytes): Promise<Manifest> {
  const { folder, encryptionKey } = options;
  await clearUnfinishedLog(folder);
  const manifest = newManifest(encryptionKey, random);
  const encrypted = manifest.encryption !== null;
  const previous = NO_PREVIOUS_SEGMENT;
  await createSegment(folder, { epoch: manifest.epoch, encrypted, first: 1, previous });
  await writeManifest(folder, manifest);
  return manifest;
}

interface SegmentLogParts {
  readonly manifest: Manifest;
  readonly cipher: RecordCipher | undefined;
  /** Oldest first, never empty; the last one is written. */
  readonly segments: Segment[];
  readonly writer: SegmentWriter;
  /** What is given back when the log is closed. */
  readonly resources: AsyncDisposableStack;
}

class SegmentLog implements CommitLog {
  readonly #options: SegmentLogOptions;
  readonly #parts: SegmentLogParts;
  readonly #queue: CommitQueue;
  /** Settled once no trim is under way: one at a time, for only a prefix may ever be missing. */
  #trimmed: Promise<void> = Promise.resolve();

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

  get firstSequence(): number {
    return this.#parts.segments.find((segment) => !segment.dropped)!.first;
  }

  get lastSequence(): number {
    return this.#queue.lastSequence;
  }

  append(count: number, payload: Uint8Array): Promise<number> {
    return this.#queue.append(count, payload);
  }

  read(from: number): AsyncIterable<LogRecord> {
    requireReadable(from, this);
    return this.#records(from, this.lastSequence);
  }

  onDurable(listener: (lastSequence: number) => void): () => void {
    return this.#queue.onDurable(listener);
  }

  trim(keepAfter: number): Promise<void> {
    const trimming = this.#trimmed.then(() => this.#dropSegments(keepAfter));
    // Its failure is the caller's to know; the next trim only has to wait for its end.
    this.#trimmed = trimming.catch(() => undefined);
    return trimming;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue.close();
    await this.#trimmed;
    await this.#parts.resources.disposeAsync();
  }

  /** The oldest first, each durably before the next: a crash on the way leaves no gap. */
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

  async *#records(from: number, last: number): AsyncGenerator<LogRecord> {
    let next = from;
    while (next <= last) {
      const segment = this.#parts.segments.findLast(({ first }) => first <= next);
      if (segment === undefined) throw logTrimmed(next, this.firstSequence);
      for await (const record of this.#recordsOf(segment, next, last)) {
        yield record;
        next = record.last + 1;
      }
    }
  }

  /**
   * The records of one segment that hold the sequences from `from` to `last`, or to the segment's
   * end.
   */
  async *#recordsOf(segment: Segment, from: number, last: number): AsyncGenerator<LogRecord> {
    const file = await unlessMissing(open(segment.path, 'r'));
    if (file === undefined) {
      if (segment.dropped) throw logTrimmed(from, this.firstSequence);
      throw logCorrupt({
        file: segment.path,
        offset: 0,
        sequence: from,
        reason: 'the file is gone',
      });
    }
    await using _ = file;
    let next = from;
    for await (const { records, broken } of scanSegment(file, segment, from, segment.bytes)) {
      for (const found of records) {
        if (found.header.first > last) return;
        if (found.header.first + found.header.count <= from) continue;
        const record = this.#decode(segment, found);
        next = record.last + 1;
        yield record;
      }
      if (broken !== undefined) throw logCorrupt({ file: segment.path, ...broken });
    }
    if (next <= Math.min(last, segment.last)) {
      const reason = 'the file ends before its last record';
      throw logCorrupt({ file: segment.path, offset: segment.bytes, sequence: next, reason });
    }
  }

  #decode(segment: Segment, found: FoundRecord): LogRecord {
    const { header, bytes, at, offset } = found;
    const { first, count, time } = header;
    const payload = decodePayload(bytes, at, header, this.#parts.cipher);
    if (payload === undefined) {
      const reason = 'the record is not authentic';
      throw logCorrupt({ file: segment.path, offset, sequence: first, reason });
    }
    return { first, last: first + count - 1, time, payload };
  }
}
