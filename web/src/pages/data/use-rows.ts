import { useQueries } from '@tanstack/react-query';
import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { useEffect, useState } from 'react';
import { isPageWhole, PAGE_ROWS, type RowsRequest, rowsQuery } from './data-queries.ts';

/** A browser cannot draw a list of any height; who scrolled so far filters. */
export const ROWS_MAX = 500_000;
const PAGES_MAX = ROWS_MAX / PAGE_ROWS;

type Starts = readonly (string | undefined)[];

/** Where each page of a request begins, as far as that is known. */
interface KnownStarts {
  readonly key: string;
  readonly starts: Starts;
}

const FIRST: Starts = [undefined];

export interface Rows {
  /** Those that can be scrolled to: a page more than those that are known. */
  readonly count: number;
  /** Whether there are no others after them. */
  readonly isWhole: boolean;
  /** Undefined while it is read. */
  readonly at: (row: number) => NodeObject | undefined;
  /** Why one of them is not read. */
  readonly error: Error | null;
  readonly retry: () => void;
}

/**
 * The rows from one to another, read page by page: each page begins where the one before ended, so
 * one that is not reached yet is not known.
 */
export function useRows(
  request: RowsRequest,
  fields: readonly string[],
  { first, last }: { readonly first: number; readonly last: number },
): Rows {
  const key = JSON.stringify(request);
  const [known, setKnown] = useState<KnownStarts>({ key, starts: FIRST });
  const starts = known.key === key ? known.starts : FIRST;
  const from = Math.min(Math.floor(first / PAGE_ROWS), starts.length - 1);
  const to = Math.min(Math.floor(last / PAGE_ROWS), starts.length - 1);
  const pages = useQueries({
    queries: starts.slice(from, to + 1).map((start) => rowsQuery(request, fields, start)),
  });
  const nexts = pages.map(({ data }) => data?.next);
  useEffect(() => {
    setKnown((before) => {
      const begun = before.key === key ? before.starts : FIRST;
      const next = startsAfter(begun, from, nexts);
      return before.key === key && next === begun ? before : { key, starts: next };
    });
    // The starts of the pages that were read are what it depends on.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [key, from, nexts.join(' ')]);
  const end = pages.at(-1)?.data;
  const isWhole = to === starts.length - 1 && end?.next === null;
  const failed = pages.find(({ isError, data }) => isError && !isPageWhole(data));
  return {
    count: isWhole ? to * PAGE_ROWS + end.items.length : starts.length * PAGE_ROWS,
    isWhole,
    at: (row) => pages[Math.floor(row / PAGE_ROWS) - from]?.data?.items[row % PAGE_ROWS],
    error: failed?.error ?? null,
    retry: () => void failed?.refetch(),
  };
}

/** Pages after one that ends elsewhere than before begin elsewhere too: they are read again. */
function startsAfter(
  before: Starts,
  from: number,
  nexts: readonly (string | null | undefined)[],
): Starts {
  let starts = before;
  nexts.forEach((next, i) => {
    const at = from + i + 1;
    if (next === undefined || at > starts.length) return;
    if (next === null) starts = starts.length > at ? starts.slice(0, at) : starts;
    else if (starts[at] !== next && at < PAGES_MAX) starts = [...starts.slice(0, at), next];
  });
  return starts;
}
