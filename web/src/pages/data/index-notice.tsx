import type { TablePage } from '@trellis/client/system-endpoints.ts';
import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { useChangePermission } from '../../app/permissions.ts';
import { Button } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { Notice } from '../../ui/notice.tsx';
import { AddIndexButton } from '../content/indexes/add-index-button.tsx';
import type { MissingIndex } from './data-queries.ts';

/** Types that are read through at once are small. */
const ROWS_READ_TOLD = 1_000;

/** Says that rows were found without an index; an administrator adds it. */
export function IndexNotice({ plan }: { readonly plan: TablePage['plan'] }) {
  const advice = plan?.advice[0];
  if (plan === undefined || advice === undefined || plan.rowsRead < ROWS_READ_TOLD) return null;
  return (
    <Notice tone="info">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span>
          Without an index of {advice.type}.{advice.field}, {formatCount(plan.rowsRead)} rows are
          read for each page.
        </span>
        <AddIndex key={advice.field} type={advice.type} field={advice.field} />
      </div>
    </Notice>
  );
}

interface IndexNeededProps {
  readonly missing: MissingIndex;
  readonly sortedBy: string | undefined;
  readonly onUnsorted: () => void;
  readonly onRetry: () => unknown;
}

/** In the place of rows that are too many to be sorted without an index. */
export function IndexNeeded({ missing, sortedBy, onUnsorted, onRetry }: IndexNeededProps) {
  const { type, field } = missing;
  return (
    <Notice tone="warning">
      <p>
        There are too many nodes of {type} to sort them by {sortedBy ?? 'time'} without an index.
        Filter for fewer, or show the newest first.
      </p>
      <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1">
        {field !== undefined && <AddIndex type={type} field={field} />}
        <Button size="small" onClick={onUnsorted}>
          Newest first
        </Button>
        <Button size="small" icon={RefreshCw} onClick={() => void onRetry()}>
          Try again
        </Button>
      </div>
    </Notice>
  );
}

interface AddIndexProps {
  readonly type: string;
  readonly field: string;
}

function AddIndex({ type, field }: AddIndexProps) {
  const permission = useChangePermission();
  const [isAdded, setIsAdded] = useState(false);
  if (isAdded) return <span>The index is being built.</span>;
  if (!permission.isAllowed) return <span>An administrator can add it.</span>;
  return <AddIndexButton type={type} field={field} onAdded={() => setIsAdded(true)} />;
}
