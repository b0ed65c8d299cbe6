import { queryOptions } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useViewer } from '../../api/viewer.ts';

export type VisitedPage = 'search' | 'graph';

/** What is noted in this browser; the member names the user. */
const KEY = 'trellis.tour';

const PAGES: readonly VisitedPage[] = ['search', 'graph'];

/** Which of these pages somebody has looked at with something in them, in this browser. */
export function visitedQuery(userUid: string | undefined) {
  return queryOptions({
    queryKey: ['tour', 'visited', userUid],
    queryFn: () => new Set(userUid === undefined ? [] : pagesOf(userUid)),
    staleTime: 0,
    refetchOnMount: 'always',
    structuralSharing: false,
  });
}

/** Notes that the page is looked at, once there is something in it. */
export function useNotedVisit(page: VisitedPage, isFilled: boolean): void {
  const userUid = useViewer()?.uid;
  useEffect(() => {
    if (isFilled && userUid !== undefined) noteVisited(userUid, page);
  }, [isFilled, userUid, page]);
}

function noteVisited(userUid: string, page: VisitedPage): void {
  const pages = pagesOf(userUid);
  if (pages.includes(page)) return;
  localStorage.setItem(`${KEY}:${userUid}`, JSON.stringify([...pages, page]));
}

function pagesOf(userUid: string): readonly VisitedPage[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(`${KEY}:${userUid}`) ?? '[]');
    return Array.isArray(value) ? PAGES.filter((page) => value.includes(page)) : [];
  } catch {
    return [];
  }
}
