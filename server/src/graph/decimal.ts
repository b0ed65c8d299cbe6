import { DECIMAL_CHARACTERS_MAX } from '#base/limits.ts';

const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/**
 * The normal form of a decimal number: no leading zeros, no negative zero. The scale is kept, so
 * `1.50` stays `1.50`. A JSON number counts with its shortest spelling. Undefined when the value is
 * not a decimal number or has too many digits.
 */
export function normalizeDecimal(
  value: unknown,
  charactersMax: number = DECIMAL_CHARACTERS_MAX,
): string | undefined {
  let text: string;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return undefined;
    text = spellNumber(value);
  } else if (typeof value === 'string') {
    text = value;
  } else {
    return undefined;
  }
  if (text.length > charactersMax || !DECIMAL.test(text)) return undefined;
  const negative = text.startsWith('-');
  const point = text.indexOf('.');
  const whole = text
    .slice(negative ? 1 : 0, point < 0 ? undefined : point)
    .replace(/^0+(?=\d)/, '');
  const fraction = point < 0 ? '' : text.slice(point);
  const isZero = whole === '0' && !/[1-9]/.test(fraction);
  return (negative && !isZero ? '-' : '') + whole + fraction;
}

/** Writes a number without an exponent. */
function spellNumber(value: number): string {
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (match === null) return text;
  const digits = match[2]! + (match[3] ?? '');
  const exponent = Number(match[4]);
  const unsigned =
    exponent < 0 ? `0.${'0'.repeat(-exponent - 1)}${digits}` : digits.padEnd(exponent + 1, '0');
  return match[1]! + unsigned;
}

/** Compares two normalised decimals by value: negative, 0 or positive. */
export function compareDecimals(a: string, b: string): number {
  const negativeA = a.startsWith('-');
  const negativeB = b.startsWith('-');
  if (negativeA !== negativeB) return negativeA ? -1 : 1;
  return negativeA ? compareMagnitudes(b.slice(1), a.slice(1)) : compareMagnitudes(a, b);
}

function compareMagnitudes(a: string, b: string): number {
  const [wholeA = '', fractionA = ''] = a.split('.');
  const [wholeB = '', fractionB = ''] = b.split('.');
  if (wholeA.length !== wholeB.length) return wholeA.length - wholeB.length;
  if (wholeA !== wholeB) return wholeA < wholeB ? -1 : 1;
  const scale = Math.max(fractionA.length, fractionB.length);
  const paddedA = fractionA.padEnd(scale, '0');
  const paddedB = fractionB.padEnd(scale, '0');
  return paddedA === paddedB ? 0 : paddedA < paddedB ? -1 : 1;
}
