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

/**
 * The result of a query, its progress, or its error. The old result stays while a new one is read.
 */
export function QueryView<T>({ query, errorTitle, rows, children }: QueryViewProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) {
    return <ErrorPanel title={errorTitle} error={query.error} onRetry={query.refetch} />;
  }
  return <Skeleton {...(rows !== undefined && { rows })} />;
}
