import { open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readFully, syncFolder } from './durable-file.ts';
import { logCorrupt } from './log-problem.ts';
import { MANIFEST_FILE } from './log-manifest.ts';
import { MARKER_BYTES, RECORD_HEADER_BYTES, decodeHeader, hasValidCrc } from './record.ts';
import {
  isSegmentFile,
  isUnfinishedFile,
  readSegmentHeader,
  Segment,
  SEGMENT_HEADER_BYTES,
  segmentFile,
  type SegmentHeader,
} from './segment.ts';
import { scanSegment } from './segment-reader.ts';
import type { FileHandle } from 'node:fs/promises';
import type { LogManifest } from './log-manifest.ts';
import type { Break } from './segment-reader.ts';

/**
 * What was cut off the end of the log at its opening: a write that a crash interrupted, never an
 * acknowledged commit.
 */
export interface RecoveryNote {
  readonly file: string;
  /** The length of the file now, in bytes. */
  readonly offset: number;
  /** How many bytes were cut off. */
  readonly bytes: number;
  /** The sequence of the next commit. */
  readonly sequence: number;
  readonly reason: string;
}

/**
 * The segments of a log, oldest first. The chain is checked by all headers and lengths. The records
 * of the newest segment are read and checked as well; records of older segments are checked when
 * they are read. Nothing is changed before all checks are done.
 */
export async function recoverSegments(
  folder: string,
  manifest: LogManifest,
  onRecovery: (note: RecoveryNote) => void,
): Promise<Segment[]> {
  const names = (await readdir(folder)).filter(isSegmentFile).toSorted();
  const segments = await readChain(folder, names, manifest);
  const newest = segments.at(-1);
  if (newest === undefined) {
    const file = join(folder, MANIFEST_FILE);
    throw logCorrupt({ file, offset: 0, reason: 'its segments are missing' });
  }
  await using file = await open(newest.path, 'r+');
  const { size } = await file.stat();
  const broken = await readNewest(file, newest, size);
  if (broken !== undefined) {
    await refuseDamage(file, newest, broken, size);
    await file.truncate(newest.bytes);
  }
  // After a killed process a record may be only in the system's memory. It must not be served and
  // then lost.
  await file.datasync();
  await removeUnfinishedFiles(folder);
  if (broken !== undefined) {
    const { offset, sequence, reason } = broken;
    onRecovery({ file: newest.path, offset, bytes: size - offset, sequence, reason });
  }
  return segments;
}

/**
 * Prepares a folder without a manifest for a new log that begins with `first`. What an unfinished
 * first start left is removed: at most one segment without a record. Throws when there is more,
 * because then it was a log.
 */
export async function clearUnfinishedLog(folder: string, first: number): Promise<void> {
  const names = (await readdir(folder)).filter(isSegmentFile).toSorted();
  for (const name of names) {
    const path = join(folder, name);
    const { bytes } = await readSegmentHeader(path);
    if (names.length > 1 || name !== segmentFile(first) || bytes !== SEGMENT_HEADER_BYTES) {
      const reason = 'the file is missing, but there are segments';
      throw logCorrupt({ file: join(folder, MANIFEST_FILE), offset: 0, reason });
    }
    await rm(path);
  }
  await removeUnfinishedFiles(folder);
}

async function removeUnfinishedFiles(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter(isUnfinishedFile);
  for (const name of names) await rm(join(folder, name));
  await syncFolder(folder);
}

async function readChain(
  folder: string,
  names: readonly string[],
  manifest: LogManifest,
): Promise<Segment[]> {
  const segments: Segment[] = [];
  for (const name of names) {
    const path = join(folder, name);
    const { header, bytes } = await readSegmentHeader(path);
    if (typeof header === 'string') throw logCorrupt({ file: path, offset: 0, reason: header });
    const reason = mismatch(name, header, manifest);
    if (reason !== undefined) throw logCorrupt({ file: path, offset: 0, reason });
    const before = segments.at(-1);
    if (before !== undefined) closeSegment(before, header);
    const { newestTime } = header.previous;
    segments.push(new Segment(path, header, { bytes, last: header.first - 1, newestTime }));
  }
  return segments;
}

function mismatch(name: string, header: SegmentHeader, manifest: LogManifest): string | undefined {
  if (header.epoch !== manifest.epoch) return `its epoch is ${header.epoch}, not ${manifest.epoch}`;
  if (header.encrypted !== (manifest.encryption !== null)) {
    return header.encrypted ? 'it is encrypted, the log is not' : 'it is not encrypted, the log is';
  }
  if (name !== segmentFile(header.first)) return `it begins with sequence ${header.first}`;
  return undefined;
}

/** Sets the end of a segment from the header of the next one. */
function closeSegment(segment: Segment, next: SegmentHeader): void {
  const { previous } = next;
  if (previous.first !== segment.first) {
    throw logCorrupt({
      file: join(segment.path, '..', segmentFile(previous.first)),
      offset: 0,
      sequence: previous.first,
      reason: 'the file is missing',
    });
  }
  if (previous.bytes !== segment.bytes) {
    throw logCorrupt({
      file: segment.path,
      offset: Math.min(previous.bytes, segment.bytes),
      reason: `the file has ${segment.bytes} bytes, ${previous.bytes} were written`,
    });
  }
  segment.last = next.first - 1;
  segment.newestTime = previous.newestTime;
}

/**
 * Reads all records of the newest segment and sets its end. Returns where the records break off;
 * undefined when they do not.
 */
async function readNewest(
  file: FileHandle,
  segment: Segment,
  size: number,
): Promise<Break | undefined> {
  segment.bytes = SEGMENT_HEADER_BYTES;
  for await (const { records, broken } of scanSegment(file, segment, {
    from: segment.first,
    upTo: size,
  })) {
    for (const { header } of records) {
      segment.newestTime = Math.max(segment.newestTime, header.time);
      segment.last = header.first + header.count - 1;
    }
    if (broken !== undefined) {
      segment.bytes = broken.offset;
      return broken;
    }
  }
  segment.bytes = size;
  return undefined;
}

/**
 * After an unfinished write there are only records of the same group. A whole record that says that
 * the broken one was already durable proves damage; cutting there would drop acknowledged commits.
 */
async function refuseDamage(
  file: FileHandle,
  segment: Segment,
  broken: Break,
  size: number,
): Promise<void> {
  const tail = await readFully(file, broken.offset, size - broken.offset);
  for (const at of markersIn(tail)) {
    const header = decodeHeader(tail, at);
    if (header === undefined || header.durable < broken.sequence) continue;
    if (at + RECORD_HEADER_BYTES + header.storedBytes > tail.length) continue;
    if (!hasValidCrc(tail, at, header, segment.crcSeed)) continue;
    const { offset, sequence, reason } = broken;
    throw logCorrupt({
      file: segment.path,
      offset,
      sequence,
      reason: `${reason}, and a whole record follows at byte ${offset + at}`,
    });
  }
}

/** The places after the first byte where the header of a record may begin. */
function* markersIn(tail: Buffer): Generator<number> {
  let at = tail.indexOf(MARKER_BYTES, 1);
  while (at >= 0 && at + RECORD_HEADER_BYTES <= tail.length) {
    yield at;
    at = tail.indexOf(MARKER_BYTES, at + 1);
  }
}
