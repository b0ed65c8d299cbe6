import type { LogManifest } from '../log-manifest.ts';
import {
  decodeSegmentHeader,
  encodeSegmentHeader,
  segmentCrc,
  type SegmentHeader,
  SEGMENT_HEADER_BYTES,
} from '../segment.ts';
import { rowsCorrupt } from './database-problem.ts';
import type { StoredContents, StoredSegment } from './log-database.ts';

/** One segment in the database, and how far it is durable. */
export interface HeldSegment {
  readonly first: number;
  readonly header: SegmentHeader;
  readonly stored: StoredSegment;
  /** With which the CRCs of its records begin. */
  readonly crcSeed: number;
  /** `first - 1` while it is empty. */
  last: number;
  /** With its header, as if it were a file. */
  bytes: number;
  newestTime: number;
}

/** The empty segment after the given one. */
export function newSegment({ header, first, last, bytes, newestTime }: HeldSegment): HeldSegment {
  const { epoch, encrypted } = header;
  const previous = { first, bytes, newestTime };
  return held({ epoch, encrypted, first: last + 1, previous });
}

function held(header: SegmentHeader): HeldSegment {
  const { first } = header;
  const stored = { first, header: encodeSegmentHeader(header) };
  return {
    first,
    header,
    stored,
    crcSeed: segmentCrc(stored.header),
    last: first - 1,
    bytes: SEGMENT_HEADER_BYTES,
    newestTime: header.previous.newestTime,
  };
}

/**
 * The segments of what the database holds, oldest first. As with files, each describes the one
 * before it, so only the newest has its rows counted.
 */
export function heldSegments(
  place: string,
  { segments: stored, end }: StoredContents,
  manifest: LogManifest,
): HeldSegment[] {
  const segments: HeldSegment[] = [];
  for (const { first, header: bytes } of stored) {
    const header = decodeSegmentHeader(bytes);
    const reason = typeof header === 'string' ? header : mismatch(first, header, manifest);
    if (typeof header === 'string' || reason !== undefined) {
      throw rowsCorrupt(place, first, `the header of the segment: ${reason}`);
    }
    const before = segments.at(-1);
    if (before !== undefined) {
      if (header.previous.first !== before.first) {
        throw rowsCorrupt(place, header.previous.first, 'a segment is missing');
      }
      before.last = first - 1;
      before.bytes = header.previous.bytes;
      before.newestTime = header.previous.newestTime;
    }
    segments.push(held(header));
  }
  const newest = segments.at(-1);
  if (newest === undefined) throw rowsCorrupt(place, 1, 'no segment is there');
  if (end !== undefined) {
    newest.last = end.last;
    newest.bytes += end.bytes;
    newest.newestTime = Math.max(newest.newestTime, end.newestTime);
  }
  return segments;
}

function mismatch(
  first: number,
  header: SegmentHeader,
  { epoch, encryption }: LogManifest,
): string | undefined {
  if (header.epoch !== epoch) return `its epoch is ${header.epoch}, not ${epoch}`;
  if (header.encrypted !== (encryption !== null)) return 'encryption is on in one of both only';
  return header.first === first ? undefined : `it begins with sequence ${header.first}`;
}
