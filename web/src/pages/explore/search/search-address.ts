import type { SearchRequest } from '@trellis/client/system-search.ts';
import { skipOf, texts } from '../../../app/search-params.ts';

export type FilterValue = string | boolean;
export type FieldFilters = Readonly<Record<string, readonly FilterValue[]>>;

export type SearchSort = NonNullable<SearchRequest['sort']>;
export type SearchMode = NonNullable<SearchRequest['mode']>;

/** A search as it stands in the address, so that it can be kept and shared. */
export interface SearchAddress {
  readonly q?: string;
  /** Types of nodes; one of them, when there are several. */
  readonly type?: readonly string[];
  /** By field, one of its values. */
  readonly filters?: FieldFilters;
  /** Days (`2026-11-21`, in UTC) or moments, ISO 8601; both ends are included. */
  readonly from?: string;
  readonly to?: string;
  readonly sort?: SearchSort;
  readonly mode?: SearchMode;
  readonly skip?: number | undefined;
}

/** The address of the page: beside what is found, the record of a node may be open. */
export interface SearchPageAddress extends SearchAddress {
  /** UID of the node. */
  readonly record?: string | undefined;
}

export const SEARCH_TAKE = 20;

const SORTS: readonly SearchSort[] = ['relevance', 'recent', 'oldest'];
const MODES: readonly SearchMode[] = ['text', 'vector', 'hybrid'];
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;

/** Whatever else stands in an address is left out. */
export function readSearchAddress(search: Record<string, unknown>): SearchPageAddress {
  const { q, from, to, sort, mode } = texts(search, ['q', 'from', 'to', 'sort', 'mode']);
  const type = textsOf(search['type']);
  const filters = filtersOf(search['filters']);
  const knownSort = SORTS.find((one) => one === sort);
  const knownMode = MODES.find((one) => one === mode);
  return {
    ...(q !== undefined && q.trim() !== '' && { q }),
    ...(type.length > 0 && { type }),
    ...(Object.keys(filters).length > 0 && { filters }),
    ...(isTime(from) && { from }),
    ...(isTime(to) && { to }),
    ...(knownSort !== undefined && { sort: knownSort }),
    ...(knownMode !== undefined && { mode: knownMode }),
    ...skipOf(search),
    ...texts(search, ['record']),
  };
}

/** Whether anything is asked for; else the page shows what there is. */
export function isAsking({ q, type, filters, from, to }: SearchAddress): boolean {
  return [q, type, filters, from, to].some((one) => one !== undefined);
}

/** What is found, whatever of it is shown. */
export function requestOf(address: SearchAddress): SearchRequest {
  const { q, type, filters = {}, from, to, mode } = address;
  const conditions = [
    ...Object.entries(filters).map(([field, value]) => ({ field, op: 'in', value })),
    ...(from === undefined ? [] : [{ field: 'Timestamp', op: '>=', value: beginOf(from) }]),
    ...(to === undefined ? [] : [{ field: 'Timestamp', op: '<=', value: endOf(to) }]),
  ];
  return {
    ...(q !== undefined && { query: q }),
    ...(type !== undefined && { types: type }),
    ...(conditions.length > 0 && { filters: conditions }),
    ...(mode !== undefined && q !== undefined && { mode }),
  };
}

/** The address with a value of a field chosen, or not any more; of the first page. */
export function withFilter(
  address: SearchAddress,
  field: string,
  values: readonly FilterValue[],
): SearchAddress {
  const { filters, skip: _, type, ...rest } = address;
  if (field === 'Type') {
    const types = values.map(String);
    return { ...rest, ...(filters && { filters }), ...(types.length > 0 && { type: types }) };
  }
  const { [field]: _former, ...others } = filters ?? {};
  const next = values.length > 0 ? { ...others, [field]: values } : others;
  return {
    ...rest,
    ...(type && { type }),
    ...(Object.keys(next).length > 0 && { filters: next }),
  };
}

/** The values of a field that are chosen. */
export function chosenOf({ type, filters }: SearchAddress, field: string): readonly FilterValue[] {
  return (field === 'Type' ? type : filters?.[field]) ?? [];
}

/** The address with another range of time, or none; of the first page. */
export function withRange(
  address: SearchAddress,
  range: { readonly from?: string | undefined; readonly to?: string | undefined },
): SearchAddress {
  const { from: _from, to: _to, skip: _, ...rest } = address;
  return {
    ...rest,
    ...(range.from !== undefined && { from: range.from }),
    ...(range.to !== undefined && { to: range.to }),
  };
}

function beginOf(text: string): string {
  return new Date(text).toISOString();
}

/** A day goes to its last millisecond. */
function endOf(text: string): string {
  const ms = Date.parse(text);
  return new Date(DAY.test(text) ? ms + DAY_MS - 1 : ms).toISOString();
}

function isTime(text: string | undefined): text is string {
  return text !== undefined && !Number.isNaN(Date.parse(text));
}

function textsOf(value: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list
    .filter((one) => typeof one === 'string' || typeof one === 'number')
    .map(String)
    .filter((one) => one !== '');
}

function filtersOf(value: unknown): FieldFilters {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const filters: Record<string, readonly FilterValue[]> = {};
  for (const [field, given] of Object.entries(value)) {
    const list: readonly unknown[] = Array.isArray(given) ? given : [given];
    const values = list
      .map((one) => (typeof one === 'number' ? String(one) : one))
      .filter((one) => typeof one === 'string' || typeof one === 'boolean');
    if (values.length > 0) filters[field] = values;
  }
  return filters;
}
