import { crc32c } from '@node-rs/crc32';
import { COMMIT_BYTES_MAX } from '#base/limits.ts';
import { CIPHER_OVERHEAD_BYTES } from './record-cipher.ts';
import type { QueuedCommit } from './commit-queue.ts';
import type { RecordCipher } from './record-cipher.ts';

/**
 * A record, byte by byte; all numbers are unsigned and big-endian.
 *
 *     offset  bytes
 *          0      4  marker 54 52 4c 52 ("TRLR")
 *          4      4  CRC32C of everything from byte 8 to the end of the record, begun with the CRC
 *                    of the segment's header: a record is valid in its own segment only
 *          8      4  length of the stored payload
 *         12      4  operation count, at least 1
 *         16      8  first sequence
 *         24      8  time of the append, milliseconds since the Unix epoch
 *         32      8  durable sequence: everything up to it was durable before this record was
 *                    written, that is, everything before the first record of its group
 *         40         stored payload: the payload, or with encryption see `record-cipher.ts`; the
 *                    32 bytes from 8 to 40 are authenticated with it
 *
 * The durable sequence tells damage from an unfinished write. The records of one group may reach
 * the device in any order, so after a power failure a later one can be whole and an earlier one
 * broken. But a whole record whose durable sequence covers a broken record proves that the broken
 * one was whole before.
 */
export const RECORD_HEADER_BYTES = 40;
const MARKER = 0x54524c52;
export const MARKER_BYTES: Uint8Array = Buffer.from('TRLR');
const CRC_AT = 4;
const CHECKED_AT = 8;

/**
 * Payloads up to this size are copied after their headers into one buffer. That is cheaper than one
 * more buffer in the write.
 */
const COPY_BYTES_MAX = 16 * 1024;

export interface RecordHeader {
  readonly storedBytes: number;
  readonly count: number;
  readonly first: number;
  readonly time: number;
  readonly durable: number;
}

/** What the records of one group have in common. */
export interface GroupFrame {
  /** The durable sequence. */
  readonly durable: number;
  /** The CRC of the segment's header. */
  readonly crcSeed: number;
  readonly cipher: RecordCipher | undefined;
}

export interface EncodedGroup {
  readonly chunks: readonly Uint8Array[];
  readonly bytes: number;
}

/**
 * Encodes a group as buffers that are written one after the other. Large payloads are not copied.
 */
export function encodeGroup(group: readonly QueuedCommit[], frame: GroupFrame): EncodedGroup {
  const overhead = frame.cipher === undefined ? 0 : CIPHER_OVERHEAD_BYTES;
  const nonceSuffix = frame.cipher?.drawNonceSuffix();
  let arenaBytes = 0;
  for (const { payload } of group) {
    const stored = payload.length + overhead;
    arenaBytes += RECORD_HEADER_BYTES + (stored <= COPY_BYTES_MAX ? stored : 0);
  }
  const arena = Buffer.allocUnsafeSlow(arenaBytes);
  const chunks: Uint8Array[] = [];
  let written = 0;
  let at = 0;
  let bytes = 0;
  for (const commit of group) {
    const storedBytes = commit.payload.length + overhead;
    const headerAt = at;
    writeHeader(arena, headerAt, { ...commit, storedBytes, durable: frame.durable });
    at += RECORD_HEADER_BYTES;
    bytes += RECORD_HEADER_BYTES + storedBytes;
    let parts: readonly Uint8Array[] = [commit.payload];
    if (frame.cipher !== undefined && nonceSuffix !== undefined) {
      const header = arena.subarray(headerAt + CHECKED_AT, at);
      parts = frame.cipher.seal(header, commit.first, nonceSuffix, commit.payload);
    }
    if (storedBytes <= COPY_BYTES_MAX) {
      for (const part of parts) {
        arena.set(part, at);
        at += part.length;
      }
      parts = [];
    }
    let crc = crc32c(arena.subarray(headerAt + CHECKED_AT, at), frame.crcSeed);
    for (const part of parts) crc = crc32c(part, crc);
    arena.writeUInt32BE(crc, headerAt + CRC_AT);
    if (parts.length > 0) {
      chunks.push(arena.subarray(written, at), ...parts);
      written = at;
    }
  }
  if (written < at) chunks.push(arena.subarray(written, at));
  return { chunks, bytes };
}

/**
 * The header at `at`; undefined when the bytes there cannot be one. Only the CRC tells whether it
 * is undamaged.
 */
export function decodeHeader(bytes: Buffer, at: number): RecordHeader | undefined {
  if (bytes.readUInt32BE(at) !== MARKER) return undefined;
  const header = {
    storedBytes: bytes.readUInt32BE(at + 8),
    count: bytes.readUInt32BE(at + 12),
    first: readSafeInteger(bytes, at + 16),
    time: readSafeInteger(bytes, at + 24),
    durable: readSafeInteger(bytes, at + 32),
  };
  if (header.storedBytes > COMMIT_BYTES_MAX + CIPHER_OVERHEAD_BYTES) return undefined;
  return header;
}

/** Whether the record at `at` is what was written; `bytes` must hold all of it. */
export function hasValidCrc(
  bytes: Buffer,
  at: number,
  header: RecordHeader,
  crcSeed: number,
): boolean {
  const end = at + RECORD_HEADER_BYTES + header.storedBytes;
  return crc32c(bytes.subarray(at + CHECKED_AT, end), crcSeed) === bytes.readUInt32BE(at + CRC_AT);
}

/** The payload of the record at `at`, decrypted; undefined when it is not authentic. */
export function decodePayload(
  bytes: Buffer,
  at: number,
  header: RecordHeader,
  cipher: RecordCipher | undefined,
): Uint8Array | undefined {
  const storedAt = at + RECORD_HEADER_BYTES;
  const stored = bytes.subarray(storedAt, storedAt + header.storedBytes);
  return cipher === undefined
    ? stored
    : cipher.open(bytes.subarray(at + CHECKED_AT, storedAt), stored);
}

function writeHeader(bytes: Buffer, at: number, header: RecordHeader): void {
  bytes.writeUInt32BE(MARKER, at);
  bytes.writeUInt32BE(header.storedBytes, at + 8);
  bytes.writeUInt32BE(header.count, at + 12);
  writeSafeInteger(bytes, at + 16, header.first);
  writeSafeInteger(bytes, at + 24, header.time);
  writeSafeInteger(bytes, at + 32, header.durable);
}

/**
 * Reads 64 bits as a number. Above 2^53 the number is inexact; no log reaches that, and a damaged
 * header fails its CRC.
 */
export function readSafeInteger(bytes: Buffer, at: number): number {
  return bytes.readUInt32BE(at) * 0x1_0000_0000 + bytes.readUInt32BE(at + 4);
}

export function writeSafeInteger(bytes: Buffer, at: number, value: number): void {
  bytes.writeUInt32BE(Math.floor(value / 0x1_0000_0000), at);
  bytes.writeUInt32BE(value % 0x1_0000_0000, at + 4);
}
