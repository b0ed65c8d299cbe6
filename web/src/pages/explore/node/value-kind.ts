export type ValueKind =
  | 'none'
  | 'flag'
  | 'number'
  | 'time'
  | 'node'
  | 'place'
  | 'bytes'
  | 'address'
  | 'json'
  | 'text';

const TIME = /^[+-]?\d{4,6}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;
/** 22 letters of base58 that are no mere word (open-shapes, section 2, "UID"). */
const UID = /^(?=.*\d)(?=.*[A-Z])(?=.*[a-z])[1-9A-HJ-NP-Za-km-z]{22}$/;
/** Long enough that no word looks like it. */
const BASE64 =
  /^(?=.{80})(?=.*[A-Z])(?=.*[a-z])(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/;
const BASE64_CHARACTERS_LOOKED_AT = 1_000;

const OF_TYPES: Readonly<Record<string, ValueKind>> = {
  Bool: 'flag',
  Int: 'number',
  Long: 'number',
  Float: 'number',
  Double: 'number',
  Decimal: 'number',
  Time: 'time',
  UID: 'node',
  Bytes: 'bytes',
  Json: 'json',
};

/**
 * How a value is best read: by the type of its field where that is known, else by what it looks
 * like.
 */
export function kindOf(value: unknown, type: string | undefined): ValueKind {
  if (value === null || value === undefined) return 'none';
  const known = type === undefined ? undefined : OF_TYPES[type];
  if (known !== undefined) return known;
  if (typeof value === 'boolean') return 'flag';
  if (typeof value === 'number') return 'number';
  if (isGeoPoint(value)) return 'place';
  if (typeof value !== 'string') return 'json';
  if (isAddress(value)) return 'address';
  return type === undefined ? kindOfText(value) : 'text';
}

function kindOfText(text: string): ValueKind {
  if (TIME.test(text)) return 'time';
  if (UID.test(text)) return 'node';
  return text.length % 4 === 0 && BASE64.test(beginningOf(text)) ? 'bytes' : 'text';
}

/** In whole groups of four letters. */
function beginningOf(text: string): string {
  return text.slice(0, BASE64_CHARACTERS_LOOKED_AT);
}

export function isGeoPoint(value: unknown): value is { lat: number; lon: number } {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 2) return false;
  return (
    'lat' in value &&
    'lon' in value &&
    typeof value.lat === 'number' &&
    typeof value.lon === 'number'
  );
}

/** How many bytes a text in base64 stands for. */
export function base64Bytes(text: string): number {
  const padding = /=*$/.exec(text)?.[0].length ?? 0;
  return Math.floor((text.length * 3) / 4) - padding;
}

/** Only those that a link may lead to: never one that is a script. */
function isAddress(text: string): boolean {
  return /^https?:\/\/[^\s/]/i.test(text) && !/\s/.test(text) && URL.canParse(text);
}
