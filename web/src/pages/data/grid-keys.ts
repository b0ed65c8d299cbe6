/** A cell; the first column has the boxes to select rows. */
export interface GridPlace {
  readonly row: number;
  readonly column: number;
}

interface GridSize {
  readonly rows: number;
  readonly columns: number;
  /** As many rows as a screen has. */
  readonly page: number;
}

interface Key {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

/** The cell that a key leads to (ARIA, pattern "grid"); undefined for other keys. */
export function cellAfterKey(
  { key, ctrlKey, metaKey }: Key,
  { row, column }: GridPlace,
  { rows, columns, page }: GridSize,
): GridPlace | undefined {
  const at = (nextRow: number, nextColumn: number): GridPlace => ({
    row: Math.max(0, Math.min(rows - 1, nextRow)),
    column: Math.max(0, Math.min(columns - 1, nextColumn)),
  });
  const isFar = ctrlKey || metaKey;
  switch (key) {
    case 'ArrowDown':
      return at(row + 1, column);
    case 'ArrowUp':
      return at(row - 1, column);
    case 'ArrowLeft':
      return at(row, column - 1);
    case 'ArrowRight':
      return at(row, column + 1);
    case 'PageDown':
      return at(row + page, column);
    case 'PageUp':
      return at(row - page, column);
    case 'Home':
      return at(isFar ? 0 : row, 0);
    case 'End':
      return at(isFar ? rows - 1 : row, columns - 1);
    default:
      return undefined;
  }
}
