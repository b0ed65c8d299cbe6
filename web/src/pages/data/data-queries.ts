import { TrellisError } from '@trellis/client/trellis-error.ts';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { NodeCondition, TablePage, TableRequest } from '@trellis/client/system-endpoints.ts';
import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import type { NodeTypesDocument } from '@trellis/contract/shapes/node-write.ts';
import { client } from '../../api/client.ts';
import { FRESH_MS } from '../../api/query-client.ts';
import { type DataAddress, sortOf } from './data-address.ts';
import { filterMeaning } from './filter-text.ts';

export type DataType = NodeTypesDocument['types'][number];
export type DataEdge = NodeTypesDocument['edges'][number];

/** Below it stands all that a change of a node changes. */
export const DATA_KEY = ['data'] as const;
export const PAGE_ROWS = 100;

/** The types that the viewer sees or may write, with how many nodes each has. */
export const typesQuery = queryOptions({
  queryKey: [...DATA_KEY, 'types'],
  queryFn: ({ signal }) => client.nodes.listTypes({ signal }),
});

/** Rows of one type, in one order. */
export type RowsRequest = Pick<TableRequest, 'type' | 'where' | 'sort'>;

/** The types of all columns: the key, which is `Id` where it has no name, the fields, the time. */
export function columnTypes({ key = 'Id', fields }: DataType): Readonly<Record<string, string>> {
  return { [key]: 'String', ...fields, Timestamp: 'Time' };
}

/** What the address asks for; filters that mean nothing are passed over. */
export function rowsRequest(type: DataType, address: DataAddress): RowsRequest {
  const types = columnTypes(type);
  const where = Object.entries(address.filter ?? {}).flatMap(
    ([field, text]): readonly NodeCondition[] =>
      filterMeaning(field, types[field] ?? 'String', text).conditions ?? [],
  );
  const sort = sortOf(address);
  return {
    type: type.type,
    ...(where.length > 0 && { where }),
    ...(sort !== undefined && { sort }),
  };
}

/** As much of a page as was read. */
interface RowsPage {
  readonly items: readonly NodeObject[];
  /** Where the next one begins, null after the last one; undefined while this one is read. */
  readonly next: string | null | undefined;
}

export function rowsQuery(request: RowsRequest, fields: readonly string[], after?: string) {
  const queryKey = [...DATA_KEY, 'rows', request, fields, after];
  return queryOptions({
    queryKey,
    queryFn: ({ signal, client: cache }) =>
      readPage({ ...request, fields }, after, {
        signal,
        // When all of it was read before, that stays until it is all read again.
        onPart: (items) =>
          cache.setQueryData<RowsPage>(queryKey, (before) =>
            isPageWhole(before) ? before : { items, next: undefined },
          ),
      }),
    // One that was left while it was read is read when somebody comes back.
    staleTime: ({ state }) => (isPageWhole(state.data) ? FRESH_MS : 0),
    // Pages that are far from what is shown are forgotten: a table may have a million rows.
    gcTime: 30_000,
  });
}

export function isPageWhole(page: RowsPage | undefined): boolean {
  return page?.next !== undefined;
}

interface PageReading {
  readonly signal: AbortSignal;
  /** Called with the rows that there are so far, where a page takes several answers. */
  readonly onPart: (items: readonly NodeObject[]) => void;
}

/** A whole page, which takes several answers where few of the rows that are read meet a filter. */
async function readPage(
  request: TableRequest,
  start: string | undefined,
  { signal, onPart }: PageReading,
): Promise<RowsPage> {
  const items: NodeObject[] = [];
  let after: string | null = start ?? null;
  for (;;) {
    const take = PAGE_ROWS - items.length;
    const part = { ...request, take, ...(after !== null && { after }) };
    const page: TablePage = await client.system.table(part, { signal });
    items.push(...page.items);
    after = page.next;
    if (after === null || items.length >= PAGE_ROWS) return { items, next: after };
    onPart([...items]);
  }
}

/** The index without which the server sorts no table as large as this one; a key has none. */
export interface MissingIndex {
  readonly type: string;
  readonly field?: string;
}

export function missingIndex(error: unknown): MissingIndex | undefined {
  if (!(error instanceof TrellisError) || error.code !== 'index_needed') return undefined;
  const { type, field } = error.details ?? {};
  return { type: String(type), ...(typeof field === 'string' && { field }) };
}

/** How many rows there are, and whether an index found them. */
export function countQuery(request: RowsRequest) {
  return queryOptions({
    queryKey: [...DATA_KEY, 'count', request],
    // It is beside the rows, without a button to try again: a busy server gets a second chance.
    retry: 1,
    queryFn: ({ signal }) =>
      client.system.table(
        { ...request, fields: [], take: PAGE_ROWS, total: true, plan: true },
        { signal },
      ),
  });
}

/** A node, what the viewer may do with it, and what hangs on it. */
export function recordQuery(uid: string) {
  return queryOptions({
    queryKey: [...DATA_KEY, 'record', uid],
    queryFn: ({ signal }) => client.nodes.getRecord(uid, { signal }),
  });
}

export const NEIGHBORS_TAKE = 5;

/** What a node is linked to over one type of edge. */
export function linksQuery(uid: string, edge: string, direction: 'out' | 'in', take: number) {
  return queryOptions({
    queryKey: [...DATA_KEY, 'links', uid, edge, direction, take],
    queryFn: ({ signal }) =>
      client.system.neighbors({ node: { uid }, edges: [edge], direction, take }, { signal }),
    placeholderData: keepPreviousData,
  });
}

/** Whom a node is restricted to; only its owners and administrators may ask. */
export function nodeAccessQuery(uid: string) {
  return queryOptions({
    queryKey: ['access', 'node', uid],
    queryFn: ({ signal }) => client.access.getNode(uid, { signal }),
  });
}

const UIDS_AT_ONCE = 1_000;

/** The UIDs of the first rows, in their order, page by page. */
export async function readUids(request: RowsRequest, max: number): Promise<readonly string[]> {
  const uids: string[] = [];
  let after: string | null = null;
  do {
    const take = Math.min(UIDS_AT_ONCE, max - uids.length);
    const page = await client.system.table({
      ...request,
      fields: [],
      take,
      ...(after !== null && { after }),
    });
    uids.push(...page.items.map(({ UID }) => UID));
    after = page.next;
  } while (after !== null && uids.length < max);
  return uids;
}
