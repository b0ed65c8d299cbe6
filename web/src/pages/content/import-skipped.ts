import Papa from 'papaparse';
import type { FileRow } from './import-file.ts';

/** So many are kept with their content, and no more characters than this. */
const SKIPPED_ROWS_MAX = 10_000;
const SKIPPED_CHARACTERS_MAX = 16 * 1024 * 1024;

/** The rows that an import left out, as a person corrects them: in a file, each with its reason. */
export class SkippedRows {
  readonly #columns: Set<string>;
  readonly #kept: { readonly cells: ReadonlyMap<string, string>; readonly reason: string }[] = [];
  #characters = 0;
  #count = 0;

  /** The columns of the file, in their order; those that only some rows have come after them. */
  constructor(columns: readonly string[]) {
    this.#columns = new Set(columns);
  }

  get count(): number {
    return this.#count;
  }

  /** How many of them the file has. */
  get keptCount(): number {
    return this.#kept.length;
  }

  add({ number, row }: FileRow, reason: string): void {
    this.#count++;
    if (this.#kept.length >= SKIPPED_ROWS_MAX || this.#characters >= SKIPPED_CHARACTERS_MAX) return;
    const cells = new Map<string, string>();
    for (const [column, value] of Object.entries(row)) {
      const text = cellOf(value);
      cells.set(column, text);
      this.#columns.add(column);
      this.#characters += text.length;
    }
    this.#kept.push({ cells, reason: `Row ${number}: ${reason.replace(/^Row \d+:? /i, '')}` });
  }

  /** Ends with the reason, which begins with the number of the row. */
  csv(): string {
    const columns = [...this.#columns];
    const rows = this.#kept.map(({ cells, reason }) => [
      ...columns.map((column) => cells.get(column) ?? ''),
      reason,
    ]);
    return Papa.unparse([[...columns, this.#reasonColumn()], ...rows]);
  }

  #reasonColumn(): string {
    let name = 'Reason';
    while (this.#columns.has(name)) name += '_';
    return name;
  }
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
