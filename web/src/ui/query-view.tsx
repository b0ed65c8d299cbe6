import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorPanel } from './error-panel.tsx';
import { Skeleton } from './skeleton.tsx';

interface QueryViewProps<T> {
  readonly query: UseQueryResult<T>;
  /** "The users could not be read". */
  readonly errorTitle: string;
  readonly rows?: number;
  readonly children: (data: T) => ReactNode;
}

/** What a query gave, or that it is under way, or why it failed. What was there before stays while it is read anew. */
export function QueryView<T>({ query, errorTitle, rows, children }: QueryViewProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) {
    return <ErrorPanel title={errorTitle} error={query.error} onRetry={query.refetch} />;
  }
  return <Skeleton {...(rows !== undefined && { rows })} />;
}
