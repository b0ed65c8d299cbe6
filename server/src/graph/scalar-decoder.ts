import { must } from '#base/assert.ts';
import { formatUid } from '#base/uid.ts';
import { FIXED_BYTES } from './field-encoder.ts';
import { TAG } from './field-types.ts';
import { shortestFloat } from './shortest-float.ts';
import { formatTime } from './time.ts';

export function decodeList(bytes: Buffer, start: number, end: number, scalar: number): unknown[] {
  const items: unknown[] = [];
  const fixed = FIXED_BYTES[scalar]!;
  let at = start;
  while (at < end) {
    let length = fixed;
    if (fixed === 0) {
      let shift = 0;
      let byte: number;
      do {
        byte = bytes[at++]!;
        length |= (byte & 0x7f) << shift;
        shift += 7;
      } while (byte > 0x7f);
    }
    items.push(decodeScalar(bytes, at, at + length, scalar));
    at += length;
  }
  return items;
}

export function decodeScalar(bytes: Buffer, start: number, end: number, scalar: number): unknown {
  switch (scalar) {
    case TAG.String:
    case TAG.Decimal:
      return bytes.toString('utf8', start, end);
    case TAG.Int:
      return bytes.readInt32BE(start);
    case TAG.Long:
      return decodeLong(bytes, start);
    case TAG.Float:
      return shortestFloat(bytes.readFloatBE(start));
    case TAG.Double:
      return bytes.readDoubleBE(start);
    case TAG.Bool:
      return bytes[start] === 1;
    case TAG.Time:
      return formatTime(bytes.readDoubleBE(start));
    case TAG.UID:
      return formatUid(bytes.subarray(start, end));
    case TAG.GeoPoint:
      return { lat: bytes.readDoubleBE(start), lon: bytes.readDoubleBE(start + 8) };
    case TAG.Json:
      return JSON.parse(bytes.toString('utf8', start, end));
    case TAG.Bytes:
      return bytes.toString('base64', start, end);
    default:
      return must(undefined, `a scalar type numbered ${scalar}`);
  }
}

/** A number when that is exact, else a string of digits. */
function decodeLong(bytes: Buffer, at: number): number | string {
  const number = bytes.readInt32BE(at) * 0x1_0000_0000 + bytes.readUInt32BE(at + 4);
  return Number.isSafeInteger(number) ? number : bytes.readBigInt64BE(at).toString();
}
