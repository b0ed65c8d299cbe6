import { DatabaseSync } from 'node:sqlite';

/** A row that is not brought, as another one has its key further down. */
export interface ReplacedRow {
  readonly key: string;
  readonly line: number;
  readonly byLine: number;
}

/**
 * The rows of a table by their key, of which the last counts. Which that is shows only at the end
 * of the table, so they wait in a file that goes with the process: the table may be larger than the
 * memory.
 */
export class LastRows implements Disposable {
  readonly #database = new DatabaseSync('');
  readonly #lineOf;
  readonly #put;

  constructor() {
    this.#database.exec(
      'CREATE TABLE last_row (key TEXT PRIMARY KEY, line INTEGER, row TEXT) STRICT; BEGIN',
    );
    this.#lineOf = this.#database.prepare('SELECT line FROM last_row WHERE key = ?');
    this.#put = this.#database.prepare(`INSERT INTO last_row (key, line, row) VALUES (?, ?, ?)
      ON CONFLICT (key) DO UPDATE SET line = excluded.line, row = excluded.row`);
  }

  /** Tells of the row that it takes the place of. */
  add(key: string, line: number, row: unknown): ReplacedRow | undefined {
    const before = this.#lineOf.get(key)?.['line'];
    this.#put.run(key, line, JSON.stringify(row));
    return before === undefined ? undefined : { key, line: Number(before), byLine: line };
  }

  /** In the order in which keys came first. */
  *rows(): Iterable<{ readonly key: string; readonly row: Record<string, string> }> {
    const rows = this.#database.prepare('SELECT key, row FROM last_row ORDER BY rowid');
    for (const { key, row } of rows.iterate())
      yield { key: String(key), row: JSON.parse(String(row)) };
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
