import type { FieldType } from '@trellis/contract/shapes/schema-document.ts';

const POINT = /^\s*POINT\s*\(\s*(\S+)\s+(\S+)\s*\)\s*$/i;

/**
 * The JSON value of a text as exports write it. Whether it fits the type is for the server to say,
 * which knows every rule. Throws an `Error` where it is nothing of the sort.
 */
export function exactValue(type: FieldType, text: string): unknown {
  if (type.endsWith('[]') || type === 'Json') return parsedJson(text);
  switch (type) {
    case 'Int':
    case 'Float':
    case 'Double':
      return numberOf(text, type);
    case 'Long':
      return Number.isSafeInteger(Number(text)) ? numberOf(text, type) : text;
    case 'Bool':
      if (/^(?:true|1)$/i.test(text)) return true;
      if (/^(?:false|0)$/i.test(text)) return false;
      throw wrong(text, type);
    case 'GeoPoint':
      return pointOf(text);
    default:
      return text;
  }
}

function pointOf(text: string): { lat: number; lon: number } {
  const [, lon, lat] = POINT.exec(text) ?? [];
  if (lon !== undefined && lat !== undefined) {
    return { lat: numberOf(lat, 'GeoPoint'), lon: numberOf(lon, 'GeoPoint') };
  }
  const [first, second, ...more] = text.split(',');
  if (first === undefined || second === undefined || more.length > 0) throw wrong(text, 'GeoPoint');
  return { lat: numberOf(first, 'GeoPoint'), lon: numberOf(second, 'GeoPoint') };
}

function numberOf(text: string, type: FieldType): number {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isFinite(number)) return number;
  throw wrong(text, type);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw wrong(text, 'Json', cause);
  }
}

const SHOWN_CHARACTERS = 100;

function wrong(text: string, type: FieldType, cause?: unknown): Error {
  return new Error(`"${text.slice(0, SHOWN_CHARACTERS)}" is not of the type ${type}`, { cause });
}
