import { open } from 'node:fs/promises';
import { unlessMissing } from './durable-file.ts';
import { logCorrupt, logTrimmed } from './log-problem.ts';
import { decodePayload } from './record.ts';
import { scanSegment } from './segment-reader.ts';
import type { LogRecord } from './commit-log.ts';
import type { RecordCipher } from './record-cipher.ts';
import type { Segment } from './segment.ts';
import type { FoundRecord } from './segment-reader.ts';

/** The segments of a log, as whoever reads it knows them. */
export interface SegmentSource {
  /** Oldest first. */
  readonly segments: readonly Segment[];
  readonly firstSequence: number;
  readonly cipher: RecordCipher | undefined;
  /** Why the file of a segment is not there: it was trimmed, or it is lost. */
  isDropped(segment: Segment): boolean;
}

/**
 * The records from the one that holds `from` to the one that ends with `last`, which is durable.
 * Throws `log_trimmed` when a trim overtakes it, `log_corrupt` when a record is not what was
 * written.
 */
export async function* readRecords(
  source: SegmentSource,
  from: number,
  last: number,
): AsyncGenerator<LogRecord> {
  let next = from;
  while (next <= last) {
    const segment = source.segments.findLast(({ first }) => first <= next);
    if (segment === undefined) throw logTrimmed(next, source.firstSequence);
    for await (const record of recordsOf(source, segment, next, last)) {
      yield record;
      next = record.last + 1;
    }
  }
}

/**
 * The records of one segment that hold the sequences from `from` to `last`, or to the segment's
 * end.
 */
async function* recordsOf(
  source: SegmentSource,
  segment: Segment,
  from: number,
  last: number,
): AsyncGenerator<LogRecord> {
  const file = await unlessMissing(open(segment.path, 'r'));
  if (file === undefined) {
    if (source.isDropped(segment)) throw logTrimmed(from, source.firstSequence);
    const reason = 'the file is gone';
    throw logCorrupt({ file: segment.path, offset: 0, sequence: from, reason });
  }
  await using _ = file;
  const end = Math.min(last, segment.last);
  let next = from;
  for await (const { records, broken } of scanSegment(file, segment, {
    from,
    last,
    upTo: segment.bytes,
  })) {
    for (const found of records) {
      const { first, count } = found.header;
      if (first > last) return;
      if (first + count <= from) continue;
      const record = decode(source, segment, found);
      next = record.last + 1;
      yield record;
    }
    // What lies after the last record is not durable, and may be half written.
    if (next > end) return;
    if (broken !== undefined) throw logCorrupt({ file: segment.path, ...broken });
  }
  if (next <= end) {
    const reason = 'the file ends before its last record';
    throw logCorrupt({ file: segment.path, offset: segment.bytes, sequence: next, reason });
  }
}

function decode({ cipher }: SegmentSource, segment: Segment, found: FoundRecord): LogRecord {
  const { header, bytes, at, offset } = found;
  const { first, count, time } = header;
  const payload = decodePayload(bytes, at, header, cipher);
  if (payload === undefined) {
    const reason = 'the record is not authentic';
    throw logCorrupt({ file: segment.path, offset, sequence: first, reason });
  }
  return { first, last: first + count - 1, time, payload };
}
