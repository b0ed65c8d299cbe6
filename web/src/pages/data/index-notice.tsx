import type { TablePage } from '@trellis/client/system-endpoints.ts';
import { useState } from 'react';
import { useChangePermission } from '../../app/permissions.ts';
import { Button } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { Notice } from '../../ui/notice.tsx';
import { toastError } from '../../ui/toast.ts';
import { useAddedIndex } from '../content/indexes/use-added-index.ts';

/** Types that are read through at once are small. */
const ROWS_READ_TOLD = 1_000;

/** Says that rows were found without an index; an administrator adds it. */
export function IndexNotice({ plan }: { readonly plan: TablePage['plan'] }) {
  const permission = useChangePermission();
  const [added, setAdded] = useState<string>();
  const advice = plan?.advice[0];
  const name = advice === undefined ? undefined : `${advice.type}.${advice.field}`;
  const add = useAddedIndex(() => setAdded(name));
  if (plan === undefined || advice === undefined || plan.rowsRead < ROWS_READ_TOLD) return null;
  return (
    <Notice tone="info">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span>
          Without an index of {name}, {formatCount(plan.rowsRead)} rows are read for each page.
        </span>
        {added === name ? (
          <span>The index is being built.</span>
        ) : permission.isAllowed ? (
          <Button
            size="small"
            isBusy={add.isPending}
            onClick={() =>
              add.mutate(
                { type: advice.type, names: [advice.field] },
                { onError: (error) => toastError('The index was not added', error) },
              )
            }
          >
            Add the index
          </Button>
        ) : (
          <span>An administrator can add it.</span>
        )}
      </div>
    </Notice>
  );
}
