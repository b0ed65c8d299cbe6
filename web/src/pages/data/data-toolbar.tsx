import { Columns3, FilterX } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { CheckboxField } from '../../ui/field.tsx';
import { formatCount } from '../../ui/format.ts';
import { Popover } from '../../ui/popover.tsx';
import { type DataAddress, sortOf } from './data-address.ts';

interface ColumnsMenuProps {
  readonly all: readonly string[];
  readonly columns: readonly string[];
  readonly onChoose: (columns: readonly string[]) => void;
}

/** Which columns the table has; the choice is kept. */
export function ColumnsMenu({ all, columns, onChoose }: ColumnsMenuProps) {
  return (
    <Popover trigger={<Button icon={Columns3}>Columns</Button>} title="Columns of the table">
      <div className="flex flex-col gap-1.5">
        {all.map((field) => (
          <CheckboxField
            key={field}
            label={field}
            checked={columns.includes(field)}
            // A table without columns shows nothing.
            disabled={columns.length === 1 && columns[0] === field}
            onChange={({ target }) =>
              onChoose(
                target.checked ? [...columns, field] : columns.filter((one) => one !== field),
              )
            }
          />
        ))}
      </div>
    </Popover>
  );
}

interface DataToolbarProps extends ColumnsMenuProps {
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
