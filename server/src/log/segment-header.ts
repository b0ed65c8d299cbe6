import { crc32c } from '@node-rs/crc32';
import { readSafeInteger, writeSafeInteger } from './record.ts';

/**
 * The header of a segment file, byte by byte; all numbers are unsigned and big-endian.
 *
 *     offset  bytes
 *          0      8  magic 54 52 4c 53 4c 4f 47 00 ("TRLSLOG", 0)
 *          8      2  format version, 1
 *         10      2  flags: bit 0, the payloads are encrypted
 *         12      4  CRC32C of the rest of the header
 *         16     16  epoch
 *         32      8  first sequence; the file's name is the same number
 *         40      8  first sequence of the segment before this one, 0 when there was none
 *         48      8  its length in bytes
 *         56      8  the time of its newest record, milliseconds since the Unix epoch
 *         64         records: see `record.ts`
 *
 * What it says of the segment before lets a start check the whole chain by headers and lengths,
 * without reading the records.
 */
export const SEGMENT_HEADER_BYTES = 64;
const FORMAT_VERSION = 1;
const FLAG_ENCRYPTED = 1;
const MAGIC = Buffer.from('TRLSLOG\0');

export interface SegmentHeader {
  /** 32 hexadecimal digits. */
  readonly epoch: string;
  readonly encrypted: boolean;
  readonly first: number;
  readonly previous: PreviousSegment;
}

export interface PreviousSegment {
  readonly first: number;
  readonly bytes: number;
  readonly newestTime: number;
}

export const NO_PREVIOUS_SEGMENT: PreviousSegment = { first: 0, bytes: 0, newestTime: 0 };

export function encodeSegmentHeader(header: SegmentHeader): Buffer {
  const bytes = Buffer.alloc(SEGMENT_HEADER_BYTES);
  bytes.set(MAGIC);
  bytes.writeUInt16BE(FORMAT_VERSION, 8);
  bytes.writeUInt16BE(header.encrypted ? FLAG_ENCRYPTED : 0, 10);
  bytes.write(header.epoch, 16, 'hex');
  writeSafeInteger(bytes, 32, header.first);
  writeSafeInteger(bytes, 40, header.previous.first);
  writeSafeInteger(bytes, 48, header.previous.bytes);
  writeSafeInteger(bytes, 56, header.previous.newestTime);
  bytes.writeUInt32BE(segmentCrc(bytes), 12);
  return bytes;
}

/** The header, or in words why there is none. */
export function decodeSegmentHeader(bytes: Buffer): SegmentHeader | string {
  if (bytes.length < SEGMENT_HEADER_BYTES) return 'the file is shorter than its header';
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) return 'it is not a segment of a commit log';
  if (bytes.readUInt32BE(12) !== segmentCrc(bytes)) return 'its header does not match its checksum';
  const version = bytes.readUInt16BE(8);
  if (version !== FORMAT_VERSION) return `its format version is ${version}, not ${FORMAT_VERSION}`;
  return {
    epoch: bytes.toString('hex', 16, 32),
    encrypted: (bytes.readUInt16BE(10) & FLAG_ENCRYPTED) !== 0,
    first: readSafeInteger(bytes, 32),
    previous: {
      first: readSafeInteger(bytes, 40),
      bytes: readSafeInteger(bytes, 48),
      newestTime: readSafeInteger(bytes, 56),
    },
  };
}

/** The CRC of an encoded header, with which the CRCs of the segment's records begin. */
export function segmentCrc(bytes: Buffer): number {
  return crc32c(bytes.subarray(16, SEGMENT_HEADER_BYTES), crc32c(bytes.subarray(0, 12)));
}
