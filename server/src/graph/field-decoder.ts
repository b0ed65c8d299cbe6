import { convertValue } from './field-conversion.ts';
import { TAG, isListTag, scalarOf, widens } from './field-types.ts';
import { decodeList, decodeScalar } from './scalar-decoder.ts';

/**
 * The JSON value of stored bytes. `stored` is the tag with which they were written, `declared` the
 * tag in the schema now. A field that was widened or got another type since then is read as its new
 * type; undefined where it has no such value.
 */
export function decodeField(
  bytes: Buffer,
  start: number,
  end: number,
  stored: number,
  declared: number,
): unknown {
  if (stored !== declared && !widens(stored, declared)) {
    return convertValue(decodeField(bytes, start, end, stored, stored), stored, declared);
  }
  if (!isListTag(stored)) {
    const value = decodeScalar(bytes, start, end, stored);
    if (stored === declared) return value;
    const widened = widenScalar(value, stored, scalarOf(declared));
    return isListTag(declared) ? [widened] : widened;
  }
  const scalar = scalarOf(stored);
  const items = decodeList(bytes, start, end, scalar);
  if (stored === declared) return items;
  return items.map((item) => widenScalar(item, scalar, scalarOf(declared)));
}

/**
 * Converts a value to a wider type. Decimal is a string; a Double that was a Float is the number
 * that its 32 bits hold, as in the indexes.
 */
function widenScalar(value: unknown, from: number, to: number): unknown {
  if (from === TAG.Float && to === TAG.Double) return Math.fround(Number(value));
  return to === TAG.Decimal ? String(value) : value;
}
