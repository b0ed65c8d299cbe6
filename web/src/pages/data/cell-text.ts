import { formatDateTime } from '../../ui/format.ts';

const NUMBERS: ReadonlySet<string | undefined> = new Set([
  'Int',
  'Long',
  'Float',
  'Double',
  'Decimal',
]);
const CHARACTERS_MAX = 200;
const ITEMS_MAX = 20;

export function isNumeric(type: string | undefined): boolean {
  return NUMBERS.has(type);
}

/** A value on one line. */
export function cellText(value: unknown, type: string | undefined): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value) && type !== 'Json') {
    const item = type?.replace('[]', '');
    return cut(
      value
        .slice(0, ITEMS_MAX)
        .map((one) => cellText(one, item))
        .join(', '),
    );
  }
  if (type === 'Time') return formatDateTime(String(value));
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return cut(typeof value === 'string' ? value : JSON.stringify(value));
}

function cut(text: string): string {
  return text.length > CHARACTERS_MAX ? `${text.slice(0, CHARACTERS_MAX)}…` : text;
}
