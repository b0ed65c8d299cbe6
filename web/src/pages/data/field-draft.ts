import { isNumeric } from './cell-text.ts';
import { numberOf } from './filter-text.ts';

/** What a text means for a field: null takes the value away. */
export type DraftMeaning =
  | { readonly value: unknown; readonly error?: undefined }
  | { readonly value?: undefined; readonly error: string };

const PLACE = /^\s*([+-]?\d+(?:\.\d+)?)\s*,\s*([+-]?\d+(?:\.\d+)?)\s*$/;

/** A value as it is edited; empty where there is none. A list has a line for each item. */
export function draftText(value: unknown, type: string): string {
  if (value === undefined || value === null) return '';
  if (type.endsWith('[]') && Array.isArray(value)) {
    const lines = value.map((item) => draftText(item, type.slice(0, -2)));
    return lines.every(fitsLine) ? lines.join('\n') : JSON.stringify(value, null, 2);
  }
  if (type === 'Json') return JSON.stringify(value, null, 2);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (isPlace(value)) return `${value.lat}, ${value.lon}`;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The value of a text, or what is wrong with it. The server has the last word. */
export function draftMeaning(text: string, type: string): DraftMeaning {
  if (text.trim() === '') return { value: null };
  if (type.endsWith('[]')) return listMeaning(text, type.slice(0, -2));
  if (isNumeric(type)) {
    const value = numberOf(text.trim(), type);
    const kind = type === 'Int' || type === 'Long' ? 'a whole number' : 'a number';
    return value === undefined ? { error: `Type ${kind}` } : { value };
  }
  switch (type) {
    case 'Bool':
      return { value: text === 'yes' };
    case 'Time':
      return Number.isNaN(Date.parse(text))
        ? { error: 'Type a time, such as 2024-05-01 or 2024-05-01T10:30Z' }
        : { value: new Date(text).toISOString() };
    case 'GeoPoint': {
      const [, lat, lon] = PLACE.exec(text) ?? [];
      if (lat === undefined) return { error: 'Type latitude and longitude, such as 52.5, 13.4' };
      return { value: { lat: Number(lat), lon: Number(lon) } };
    }
    case 'Json':
      return jsonMeaning(text);
    default:
      return { value: text };
  }
}

function listMeaning(text: string, scalar: string): DraftMeaning {
  if (text.trimStart().startsWith('[')) return jsonMeaning(text);
  const items: unknown[] = [];
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    const { value, error } = draftMeaning(line, scalar);
    if (error !== undefined) return { error: `${error} in each line` };
    items.push(value);
  }
  return { value: items };
}

function jsonMeaning(text: string): DraftMeaning {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { error: 'This is no JSON' };
  }
}

function fitsLine(text: string): boolean {
  return text.trim() !== '' && !text.includes('\n') && !text.trimStart().startsWith('[');
}

function isPlace(value: unknown): value is { readonly lat: number; readonly lon: number } {
  const { lat, lon } = Object(value);
  return typeof lat === 'number' && typeof lon === 'number';
}
