import { ChevronDown, ChevronsUpDown, ChevronUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ReactNode;
  /** Numbers stand at the right. */
  readonly isNumber?: boolean;
  /** The title is read out and not shown, such as that of a column of buttons. */
  readonly isTitleHidden?: boolean;
  /** Left out where the screen is narrow. */
  readonly isMinor?: boolean;
  /** Set when the rows can be sorted by this column. */
  readonly sort?: ColumnSort;
}

export interface ColumnSort {
  /** How the rows are in order by it now. */
  readonly direction: 'ascending' | 'descending' | 'none';
  readonly onSort: () => void;
}

interface DataTableProps<T> {
  /** What the rows are: read out before the table. */
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
}

/** Rows under headers; scrolls sideways in its own box when it must. */
export function DataTable<T>({ label, columns, rows, keyOf }: DataTableProps<T>) {
  return (
    <div className="relative overflow-x-auto" role="group" aria-label={label} tabIndex={0}>
      <table className="w-full border-collapse text-left" aria-label={label}>
        <thead>
          <tr className="border-b text-[13px] text-muted">
            {columns.map((column) => (
              <th
                key={column.title}
                scope="col"
                aria-sort={column.sort?.direction}
                className={cellClasses(column, 'font-medium whitespace-nowrap')}
              >
                <ColumnTitle {...column} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className="border-b last:border-b-0 hover:bg-sunken/60">
              {columns.map((column) => (
                <td key={column.title} className={cellClasses(column, 'align-top')}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ColumnTitle<T>({ title, isTitleHidden, sort }: Column<T>) {
  if (isTitleHidden === true) return <span className="sr-only">{title}</span>;
  if (sort === undefined) return title;
  const { direction, onSort } = sort;
  const Icon =
    direction === 'none' ? ChevronsUpDown : direction === 'ascending' ? ChevronUp : ChevronDown;
  return (
    <button
      type="button"
      onClick={onSort}
      className="inline-flex items-center gap-1 rounded-control font-medium hover:text-ink"
    >
      {title}
      <Icon className="size-3.5 shrink-0" aria-hidden />
    </button>
  );
}

function cellClasses<T>({ isNumber, isMinor }: Column<T>, extra: string): string {
  return classNames(
    'px-4 py-2',
    isNumber === true && 'text-right whitespace-nowrap tabular-nums',
    isMinor === true && 'hidden md:table-cell',
    extra,
  );
}
