import { fieldType, type FieldType } from '@trellis/contract/shapes/schema-document.ts';

/** The type that a name such as `Int` or `String[]` stands for, or undefined. */
export function parseFieldType(name: string): FieldType | undefined {
  const parsed = fieldType.safeParse(name);
  return parsed.success ? parsed.data : undefined;
}

/**
 * The JSON value of a cell of text for a field of this type; a list's values stand between
 * separators. Throws an `Error` that says what was expected.
 */
export function parseFieldText(type: FieldType, text: string, listSeparator: string): unknown {
  if (!type.endsWith('[]')) return parseScalar(type, text);
  const scalar = type.slice(0, -2);
  return text.split(listSeparator).map((part) => parseScalar(scalar, part.trim()));
}

function parseScalar(type: string, text: string): unknown {
  const parse = PARSERS[type];
  const value = parse === undefined ? text : parse(text.trim());
  if (value === undefined) throw new Error(`"${text}" is not of the type ${type}`);
  return value;
}

const INT_MAX = 2 ** 31 - 1;

/** The other types are text in JSON too. */
const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  Int: (text) => inRange(integer(text), -INT_MAX - 1, INT_MAX),
  Long: (text) =>
    /^[+-]?\d{1,19}$/.test(text) ? (integer(text) ?? text.replace(/^\+/, '')) : undefined,
  Float: float,
  Double: float,
  Decimal: (text) => (/^[+-]?\d+(\.\d+)?$/.test(text) ? text.replace(/^\+/, '') : undefined),
  Bool: (text) => BOOLEANS.get(text.toLowerCase()),
  Time: parseTime,
  UID: (text) => (/^[1-9A-HJ-NP-Za-km-z]{22}$/.test(text) ? text : undefined),
  GeoPoint: geoPoint,
  Json: json,
};

const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s*(Z|[+-]\d\d:?\d\d)?)?$/i;

/** As most programs write it, and the server; without the days that not every month has. */
const EXACT_TIME =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3])(?::[0-5]\d){2}\.\d{3}Z$/;

/**
 * ISO 8601 in UTC, of a date or a date and time in ISO 8601; without a time zone it is UTC already.
 */
export function parseTime(text: string): string | undefined {
  if (EXACT_TIME.test(text)) return text;
  const [, date, time = '00:00', zone = 'Z'] = TIME.exec(text.trim()) ?? [];
  const milliseconds = Date.parse(`${date}T${time}${zone}`);
  return Number.isNaN(milliseconds) ? undefined : new Date(milliseconds).toISOString();
}

const BOOLEANS = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);

function integer(text: string): number | undefined {
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
  return Number.isSafeInteger(value) ? value : undefined;
}

function inRange(value: number | undefined, min: number, max: number): number | undefined {
  return value !== undefined && value >= min && value <= max ? value : undefined;
}

function float(text: string): number | undefined {
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined;
  return Number.isFinite(value) ? value : undefined;
}

/** Latitude and longitude in degrees, with a comma between. */
function geoPoint(text: string): { lat: number; lon: number } | undefined {
  const [lat, lon, ...more] = text.split(',').map((part) => float(part.trim()));
  if (inRange(lat, -90, 90) === undefined || inRange(lon, -180, 180) === undefined)
    return undefined;
  return more.length === 0 ? { lat: lat!, lon: lon! } : undefined;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Reported by the caller, with the type that was expected.
    return undefined;
  }
}
