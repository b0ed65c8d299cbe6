import { FilterX } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { ColumnsMenu } from '../../ui/column-choice.tsx';
import { formatCount } from '../../ui/format.ts';
import { type DataAddress, sortOf } from './data-address.ts';

interface DataToolbarProps {
  readonly all: readonly string[];
  readonly columns: readonly string[];
  readonly onChoose: (columns: readonly string[]) => void;
  readonly address: DataAddress;
  readonly onAddress: (address: DataAddress) => void;
  readonly count: string;
  readonly children: ReactNode;
}

/** Above the table: how many rows there are, and what can be done with all of them. */
export function DataToolbar(props: DataToolbarProps) {
  const { address, onAddress, count, children, ...columns } = props;
  const filters = Object.keys(address.filter ?? {});
  const isHidden = (field: string) => !columns.columns.includes(field);
  const hidden = filters.filter(isHidden);
  const sort = sortOf(address);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <p role="status" className="mr-auto text-muted tabular-nums">
        {[
          count,
          hidden.length > 0 && `filtered by ${hidden.join(', ')} too`,
          sort !== undefined && isHidden(sort.field) && `sorted by ${sort.field}`,
        ]
          .filter(Boolean)
          .join(', ')}
      </p>
      {filters.length > 0 && (
        <Button
          kind="quiet"
          icon={FilterX}
          onClick={() => onAddress({ ...address, filter: undefined })}
        >
          Clear {filters.length === 1 ? 'the filter' : `${formatCount(filters.length)} filters`}
        </Button>
      )}
      {children}
      <ColumnsMenu {...columns} />
    </div>
  );
}
