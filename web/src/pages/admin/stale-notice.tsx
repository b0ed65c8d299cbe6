import type { UseQueryResult } from '@tanstack/react-query';
import { Notice } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';

/** Of which time figures are that are still shown, although they cannot be read now. */
export function StaleNotice({ queries }: { readonly queries: readonly UseQueryResult[] }) {
  const stale = queries.filter(({ isError, data }) => isError && data !== undefined);
  if (stale.length === 0) return null;
  const readAt = Math.min(...stale.map(({ dataUpdatedAt }) => dataUpdatedAt));
  return (
    <Notice tone="warning">
      These figures are of <Time iso={new Date(readAt).toISOString()} isExact />: the server does
      not give newer ones now.
    </Notice>
  );
}
