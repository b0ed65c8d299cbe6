import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import {
  type KeyboardEvent,
  type RefObject,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { classNames } from '../../ui/class-names.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { cellText, isNumeric } from './cell-text.ts';
import type { DataAddress } from './data-address.ts';
import type { DataType, RowsRequest } from './data-queries.ts';
import { columnTypes } from './data-queries.ts';
import { ColumnHead } from './column-head.tsx';
import { cellAfterKey, type GridPlace } from './grid-keys.ts';
import { type Rows, useRows } from './use-rows.ts';
import { useScrolledRows } from './use-scrolled-rows.ts';

const ROW_PX = 34;
/** By which the focus finds its way back. */
export const GRID_ID = 'data-grid';
const FIRST_CELL: GridPlace = { row: 0, column: 1 };

interface DataGridProps {
  readonly type: DataType;
  readonly address: DataAddress;
  readonly request: RowsRequest;
  readonly columns: readonly string[];
  readonly onAddress: (address: DataAddress) => void;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (uid: string) => void;
  /** All rows, or none when some are selected. */
  readonly onSelectAll: () => void;
  readonly onOpen: (uid: string) => void;
}

/**
 * The rows of one type. Only those on the screen are drawn, so the focus is on the grid, which
 * tells the cell that the arrow keys have reached.
 */
export function DataGrid(props: DataGridProps) {
  const { type, address, request, columns, selected, onSelect, onOpen } = props;
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const [place, setPlace] = usePlace(box, JSON.stringify(request));
  const scrolled = useScrolledRows(box, ROW_PX);
  const rows = useRows(request, columns, scrolled);
  const types = columnTypes(type);
  const layout = gridColumns(columns, types);
  const onKeyDown = (event: KeyboardEvent) => {
    // The keys of a filter are its own.
    if (event.target !== box.current) return;
    const node = rows.at(place.row);
    const next = cellAfterKey(event, place, {
      rows: rows.count,
      columns: columns.length + 1,
      page: Math.max(1, scrolled.visible - 1),
    });
    if (next !== undefined) setPlace(next);
    else if (event.key === 'Enter' && node !== undefined) onOpen(node.UID);
    else if (event.key === ' ' && node !== undefined) onSelect(node.UID);
    else return;
    event.preventDefault();
  };
  const drawn = range(scrolled.first, Math.min(scrolled.last, rows.count - 1));
  return (
    <>
      <RowsError rows={rows} />
      <div
        ref={box}
        role="grid"
        id={GRID_ID}
        aria-label={`Nodes of ${type.type}`}
        aria-rowcount={rows.isWhole ? rows.count + 1 : -1}
        aria-colcount={columns.length + 1}
        aria-multiselectable
        aria-activedescendant={
          drawn.includes(place.row) ? `${id}-${place.row}-${place.column}` : undefined
        }
        tabIndex={0}
        onKeyDown={onKeyDown}
        onScroll={scrolled.onScroll}
        className="group/grid relative min-h-80 grow overflow-auto rounded-card border bg-surface"
      >
        <GridHead {...props} {...{ types, layout }} />
        {rows.count > 0 && (
          <div
            role="rowgroup"
            className="relative"
            style={{ minWidth: layout.minWidth, height: rows.count * ROW_PX }}
          >
            {drawn.map((row) => (
              <DataRow
                key={row}
                {...{ row, columns, types, layout, id, place, selected, onSelect }}
                node={rows.at(row)}
                isOpen={rows.at(row)?.UID === address.node}
                onOpen={(uid, column) => {
                  setPlace({ row, column });
                  onOpen(uid);
                }}
              />
            ))}
          </div>
        )}
        <GridEnd rows={rows} />
      </div>
    </>
  );
}

interface GridHeadProps extends DataGridProps {
  readonly types: Readonly<Record<string, string>>;
  readonly layout: GridColumns;
}

function GridHead(props: GridHeadProps) {
  const { columns, types, layout, address, onAddress, selected, onSelectAll } = props;
  return (
    <div
      role="rowgroup"
      className="sticky top-0 z-1 border-b bg-sunken"
      style={{ minWidth: layout.minWidth }}
    >
      <div role="row" aria-rowindex={1} className="grid" style={layout}>
        <span role="columnheader" className="flex justify-center py-2.5">
          <input
            type="checkbox"
            aria-label={selected.size > 0 ? 'Select no row' : 'Select all rows'}
            checked={selected.size > 0}
            onChange={onSelectAll}
            className="size-4 accent-accent"
          />
        </span>
        {columns.map((field) => (
          <ColumnHead
            key={field}
            field={field}
            type={types[field] ?? 'String'}
            {...{ address, onAddress }}
          />
        ))}
      </div>
    </div>
  );
}

interface DataRowProps extends Pick<DataGridProps, 'columns' | 'selected' | 'onSelect'> {
  readonly row: number;
  readonly node: NodeObject | undefined;
  readonly types: Readonly<Record<string, string>>;
  readonly layout: GridColumns;
  readonly id: string;
  readonly place: GridPlace;
  readonly isOpen: boolean;
  readonly onOpen: (uid: string, column: number) => void;
}

function DataRow(props: DataRowProps) {
  const { row, node, columns, types, layout, id, place, selected, isOpen } = props;
  const isSelected = node !== undefined && selected.has(node.UID);
  const active = (column: number) => row === place.row && column === place.column && ACTIVE;
  return (
    <div
      role="row"
      aria-rowindex={row + 2}
      aria-selected={isSelected}
      aria-current={isOpen || undefined}
      className={classNames(
        'absolute inset-x-0 grid border-b hover:bg-sunken',
        (isSelected || isOpen) && 'bg-accent-soft',
      )}
      style={{ ...layout, top: row * ROW_PX, height: ROW_PX }}
    >
      <span
        role="gridcell"
        id={`${id}-${row}-0`}
        className={classNames('flex items-center justify-center', active(0))}
      >
        {node !== undefined && (
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label="Select the row"
            checked={isSelected}
            onChange={() => props.onSelect(node.UID)}
            className="size-4 accent-accent"
          />
        )}
      </span>
      {columns.map((field, i) => (
        <span
          key={field}
          role="gridcell"
          id={`${id}-${row}-${i + 1}`}
          onClick={() => node !== undefined && props.onOpen(node.UID, i + 1)}
          className={classNames(
            'min-w-0 cursor-pointer truncate px-3 py-1.5',
            isNumeric(types[field]) && 'text-right tabular-nums',
            active(i + 1),
          )}
        >
          {node === undefined ? (
            <span className="text-faint">…</span>
          ) : (
            <bdi>{cellText(node[field], types[field])}</bdi>
          )}
        </span>
      ))}
    </div>
  );
}

/** Where the keys are, shown while the grid has the focus. */
const ACTIVE =
  'group-focus-visible/grid:outline-2 group-focus-visible/grid:-outline-offset-2 group-focus-visible/grid:outline-accent';

function GridEnd({ rows: { count, isWhole } }: { readonly rows: Rows }) {
  if (!isWhole || count > 0) return null;
  return <p className="sticky left-0 px-4 py-10 text-center text-muted">No node is shown here.</p>;
}

function RowsError({ rows: { error, retry } }: { readonly rows: Rows }) {
  if (error === null) return null;
  return <ErrorPanel title="Some of the rows could not be read" error={error} onRetry={retry} />;
}

/** The cell that the keys are at: on the screen, and the first one when other rows are asked for. */
function usePlace(box: RefObject<HTMLDivElement | null>, rowsKey: string) {
  const [place, setPlace] = useState<GridPlace>(FIRST_CELL);
  useLayoutEffect(() => {
    box.current?.scrollTo({ top: 0 });
    setPlace(FIRST_CELL);
  }, [box, rowsKey]);
  useLayoutEffect(() => {
    if (box.current !== null && document.activeElement === box.current) show(box.current, place);
  }, [box, place]);
  return [place, setPlace] as const;
}

/** Scrolls as little as brings a cell between the titles and the lower edge. */
function show(grid: HTMLElement, { row, column }: GridPlace): void {
  const head = grid.firstElementChild?.clientHeight ?? 0;
  const top = row * ROW_PX;
  const bottom = top + ROW_PX + head - grid.clientHeight;
  if (grid.scrollTop > top) grid.scrollTo({ top });
  else if (grid.scrollTop < bottom) grid.scrollTo({ top: bottom });
  const cell = grid.querySelector('[role=row]')?.children[column];
  if (!(cell instanceof HTMLElement)) return;
  const left = cell.offsetLeft;
  const right = left + cell.offsetWidth - grid.clientWidth;
  if (grid.scrollLeft > left) grid.scrollTo({ left });
  else if (grid.scrollLeft < right) grid.scrollTo({ left: right });
}

const BOX_REM = 2.5;

interface GridColumns {
  readonly gridTemplateColumns: string;
  /** Titles and rows are grids of their own: with the same width their columns are the same. */
  readonly minWidth: string;
}

function gridColumns(
  columns: readonly string[],
  types: Readonly<Record<string, string>>,
): GridColumns {
  const widths = columns.map((field, i) => {
    if (i === 0) return 13;
    return isNumeric(types[field]) || types[field] === 'Bool' ? 7.5 : 11;
  });
  const tracks = widths.map((rem) => `minmax(${rem}rem, ${rem}fr)`);
  return {
    gridTemplateColumns: [`${BOX_REM}rem`, ...tracks].join(' '),
    minWidth: `${widths.reduce((sum, rem) => sum + rem, BOX_REM)}rem`,
  };
}

function range(first: number, last: number): readonly number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
}
