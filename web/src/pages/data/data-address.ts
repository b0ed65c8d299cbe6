import { texts } from '../../app/search-params.ts';

/** What the table of a type shows, as it stands in the address. */
export interface DataAddress {
  /** A field; with "-" before it the largest comes first. Newest first when left out. */
  readonly sort?: string | undefined;
  /** What was typed to filter by, by field. */
  readonly filter?: Readonly<Record<string, string>> | undefined;
  /** The UID of the record that is open. */
  readonly node?: string | undefined;
  /** Whether a node is being made. */
  readonly new?: true | undefined;
}

/** As many conditions as the table takes. */
const FILTERS_MAX = 20;

export function readDataAddress(search: Record<string, unknown>): DataAddress {
  const filter = filterOf(search['filter']);
  return {
    ...texts(search, ['sort', 'node']),
    ...(filter !== undefined && { filter }),
    ...(search['new'] === true && { new: true as const }),
  };
}

/** The address with another text for one field; an empty one takes its filter away. */
export function withFilter(address: DataAddress, field: string, text: string): DataAddress {
  const { [field]: _, ...others } = address.filter ?? {};
  const filter = filterOf(text === '' ? others : { ...others, [field]: text });
  return { ...address, filter };
}

/** The address after the title of a column was pressed: up, down, and newest first again. */
export function withNextSort(address: DataAddress, field: string): DataAddress {
  const next = { [field]: `-${field}`, [`-${field}`]: undefined };
  const { sort = '' } = address;
  return { ...address, sort: sort in next ? next[sort] : field };
}

export function sortOf({
  sort,
}: DataAddress): { field: string; direction: 'asc' | 'desc' } | undefined {
  if (sort === undefined || sort === '') return undefined;
  return sort.startsWith('-')
    ? { field: sort.slice(1), direction: 'desc' }
    : { field: sort, direction: 'asc' };
}

function filterOf(value: unknown): Readonly<Record<string, string>> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const entries = Object.entries(value).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
  );
  return entries.length === 0 ? undefined : Object.fromEntries(entries.slice(0, FILTERS_MAX));
}
