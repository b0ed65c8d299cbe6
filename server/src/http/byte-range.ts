import { Problem } from '#base/problem.ts';

/** Bytes from `from` up to and without `to`. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The one range that a `Range` header asks for (RFC 9110, section 14). Undefined, and with it the whole, for no header, several ranges and
 * what is no range of bytes. Throws `range_not_satisfiable`.
 */
export function byteRange(header: string | undefined, size: number): ByteRange | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') return suffix(Number(last), size);
  const from = Number(first);
  if (last !== '' && Number(last) < from) return undefined;
  if (from >= size) throw unsatisfiable(size);
  const to = last === '' ? size : Math.min(Number(last) + 1, size);
  return { from, to };
}

function suffix(length: number, size: number): ByteRange {
  if (length === 0 || size === 0) throw unsatisfiable(size);
  return { from: Math.max(0, size - length), to: size };
}

function unsatisfiable(size: number): Problem {
  return new Problem('range_not_satisfiable', `The file has ${size} bytes.`, {
    details: { size },
  });
}
