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
  /** Left out where the screen is narrower than the table. */
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

/**
 * Rows under headers; scrolls sideways in its own box when it must. On a phone each row is a card:
 * its first cell is the heading, the others follow with their titles, and buttons come last, so
 * that none is cut. The roles are said because a table that is laid out otherwise may lose them.
 */
export function DataTable<T>({ label, columns, rows, keyOf }: DataTableProps<T>) {
  const isSorted = columns.some(({ sort }) => sort !== undefined);
  return (
    <div className="relative overflow-x-auto" role="group" aria-label={label} tabIndex={0}>
      <table
        role="table"
        className="w-full border-collapse text-left max-sm:block"
        aria-label={label}
      >
        <thead role="rowgroup" className={isSorted ? 'max-sm:block' : 'max-sm:sr-only'}>
          <tr
            role="row"
            className="border-b text-[13px] text-muted max-sm:flex max-sm:flex-wrap max-sm:gap-x-4 max-sm:gap-y-1 max-sm:px-4 max-sm:py-2"
          >
            {columns.map((column) => (
              <th
                key={column.title}
                role="columnheader"
                scope="col"
                aria-sort={column.sort?.direction}
                className={classNames(
                  cellClasses(column),
                  'font-medium whitespace-nowrap',
                  column.sort === undefined && 'max-sm:sr-only',
                )}
              >
                <ColumnTitle {...column} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup" className="max-sm:block">
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              role="row"
              className="border-b last:border-b-0 hover:bg-sunken/60 max-sm:flex max-sm:flex-wrap max-sm:items-center max-sm:gap-x-4 max-sm:gap-y-1 max-sm:px-4 max-sm:py-3"
            >
              {columns.map((column, at) => (
                <Cell key={column.title} column={column} row={row} isHeading={at === 0} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface CellProps<T> {
  readonly column: Column<T>;
  readonly row: T;
  readonly isHeading: boolean;
}

function Cell<T>({ column, row, isHeading }: CellProps<T>) {
  const { title, isNumber, isTitleHidden, cell } = column;
  const content = cell(row);
  const isEmpty = content === '' || content === null || content === false;
  const isLabeled = !isHeading && isTitleHidden !== true;
  const isWide = isLabeled && isNumber !== true;
  return (
    <td
      role="cell"
      data-label={isLabeled ? title : undefined}
      className={classNames(
        cellClasses(column),
        'align-top max-sm:min-w-0',
        isEmpty && 'max-sm:hidden',
        isHeading && 'max-sm:w-full',
        isLabeled &&
          "max-sm:flex max-sm:gap-2 max-sm:before:shrink-0 max-sm:before:text-[13px] max-sm:before:leading-[1.6] max-sm:before:text-muted max-sm:before:content-[attr(data-label)_/_'']",
        isWide && 'max-sm:w-full max-sm:before:w-20',
      )}
    >
      <div className={classNames('min-w-0 sm:contents', isWide && 'max-sm:grow')}>{content}</div>
    </td>
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

function cellClasses<T>({ isNumber, isMinor }: Column<T>): string {
  return classNames(
    'sm:px-4 sm:py-2',
    isNumber === true && 'whitespace-nowrap tabular-nums sm:text-right',
    isMinor === true && 'sm:max-md:hidden',
  );
}
