import type { NodeCondition } from '@trellis/client/system-endpoints.ts';

/** What a text in the filter of a column means, or why it means nothing. */
export type FilterMeaning =
  | { readonly conditions: readonly NodeCondition[]; readonly error?: undefined }
  | { readonly conditions?: undefined; readonly error: string };

type Compare = NodeCondition['compare'];

const SIGN = /^(>=|<=|!=|>|<|=)?\s*(.*)$/su;
const SIGNS: Readonly<Record<string, Compare>> = {
  '>=': '>=',
  '<=': '<=',
  '!=': '!=',
  '>': '>',
  '<': '<',
  '=': '=',
};
const WHOLE = /^[+-]?\d+$/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const NUMBERS: ReadonlySet<string> = new Set(['Int', 'Long', 'Float', 'Double', 'Decimal']);
const WITHOUT_ORDER: ReadonlySet<string> = new Set(['Json', 'Bytes', 'GeoPoint']);
const YES: ReadonlySet<string> = new Set(['yes', 'true', 'y', '1']);
const NO: ReadonlySet<string> = new Set(['no', 'false', 'n', '0']);
const DAY = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/;

/**
 * "dune" for texts that contain it, "dune*" for those that begin so, "=dune" for equal ones;
 * ">300" and "100..200" for numbers; "2024-05" for times; "=" for no value and "!=" for any.
 */
export function filterMeaning(field: string, type: string, text: string): FilterMeaning {
  const typed = text.trim();
  if (typed === '') return { conditions: [] };
  if (typed === '=' || typed === '!=') {
    return { conditions: [{ field, compare: 'exists', value: typed === '!=' }] };
  }
  const scalar = type.replace('[]', '');
  if (WITHOUT_ORDER.has(scalar)) return { error: 'Only = (no value) and != (any value) fit here' };
  const [, sign, rest = ''] = SIGN.exec(typed) ?? [];
  const compare = sign === undefined ? undefined : SIGNS[sign];
  if (type.endsWith('[]')) return ofItem(field, scalar, rest);
  if (scalar === 'Time') return ofTime(field, compare, rest);
  if (NUMBERS.has(scalar)) return ofNumber(field, scalar, compare, rest);
  if (scalar === 'Bool') return ofFlag(field, compare, rest);
  if (compare !== undefined) return { conditions: [{ field, compare, value: rest }] };
  return { conditions: [ofText(field, scalar, typed)] };
}

function ofText(field: string, scalar: string, typed: string): NodeCondition {
  if (scalar === 'UID') return { field, compare: '=', value: typed };
  if (typed.length > 1 && typed.endsWith('*')) {
    return { field, compare: 'startsWith', value: typed.slice(0, -1) };
  }
  if (typed.length > 1 && typed.startsWith('*')) {
    return { field, compare: 'endsWith', value: typed.slice(1) };
  }
  return { field, compare: 'contains', value: typed };
}

/** A list contains an item that is equal. */
function ofItem(field: string, scalar: string, text: string): FilterMeaning {
  const compare = 'contains';
  if (NUMBERS.has(scalar)) return ofNumber(field, scalar, compare, text);
  if (scalar === 'Bool') return ofFlag(field, compare, text);
  return { conditions: [{ field, compare, value: text }] };
}

function ofNumber(
  field: string,
  scalar: string,
  compare: Compare = '=',
  text: string,
): FilterMeaning {
  const [from = '', to] = text.split('..').map((part) => part.trim());
  const values = [from, ...(to === undefined ? [] : [to])].map((part) => numberOf(part, scalar));
  if (values.includes(undefined)) return { error: 'Type a number, >300, or 100..200' };
  if (to === undefined) return { conditions: [{ field, compare, value: values[0] }] };
  return {
    conditions: [
      { field, compare: '>=', value: values[0] },
      { field, compare: '<=', value: values[1] },
    ],
  };
}

/** As JSON holds it: texts keep what a number of JavaScript would lose. */
export function numberOf(text: string, scalar: string): number | string | undefined {
  const isWhole = scalar === 'Int' || scalar === 'Long';
  if (!(isWhole ? WHOLE : NUMBER).test(text)) return undefined;
  if (scalar === 'Decimal') return text;
  const value = Number(text);
  if (scalar === 'Long' && !Number.isSafeInteger(value)) return text;
  return Number.isFinite(value) ? value : undefined;
}

function ofFlag(field: string, compare: Compare = '=', text: string): FilterMeaning {
  const word = text.toLowerCase();
  if (YES.has(word)) return { conditions: [{ field, compare, value: true }] };
  if (NO.has(word)) return { conditions: [{ field, compare, value: false }] };
  return { error: 'Type yes or no' };
}

/** A year, a month, a day, or a moment; of the first three all that lies within. */
function ofTime(field: string, compare: Compare | undefined, text: string): FilterMeaning {
  const span = spanOf(text);
  if (span === undefined) return { error: 'Type a date, such as 2024, 2024-05 or >2024-05-01' };
  const { from, to } = span;
  const at = (how: Compare, ms: number): NodeCondition => ({
    field,
    compare: how,
    value: new Date(ms).toISOString(),
  });
  switch (compare) {
    case '>':
      return { conditions: [at(from === to ? '>' : '>=', to)] };
    case '>=':
      return { conditions: [at('>=', from)] };
    case '<':
      return { conditions: [at('<', from)] };
    case '<=':
      return { conditions: [at(from === to ? '<=' : '<', to)] };
    case '!=':
      return { error: 'A time is compared with >, >=, < and <=' };
    default:
      if (from === to) return { conditions: [at('=', from)] };
      return { conditions: [at('>=', from), at('<', to)] };
  }
}

function spanOf(text: string): { readonly from: number; readonly to: number } | undefined {
  const [, year, month, day] = DAY.exec(text) ?? [];
  if (year === undefined) {
    const ms = Date.parse(text);
    return Number.isNaN(ms) ? undefined : { from: ms, to: ms };
  }
  const y = Number(year);
  const m = month === undefined ? 0 : Number(month) - 1;
  const d = day === undefined ? 1 : Number(day);
  const from = Date.UTC(y, m, d);
  if (new Date(from).getUTCMonth() !== m) return undefined;
  if (month === undefined) return { from, to: Date.UTC(y + 1, 0) };
  return { from, to: day === undefined ? Date.UTC(y, m + 1) : Date.UTC(y, m, d + 1) };
}
