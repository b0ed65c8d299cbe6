import { formatAgo, formatDateTime } from './format.ts';

/** A moment as people read it; the exact one when pointed at. */
export function Time({
  iso,
  isExact = false,
}: {
  readonly iso: string;
  readonly isExact?: boolean;
}) {
  return (
    <time dateTime={iso} title={formatDateTime(iso)} className="whitespace-nowrap">
      {isExact ? formatDateTime(iso) : formatAgo(iso)}
    </time>
  );
}
