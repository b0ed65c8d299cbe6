import { DatabaseSync, type StatementSync } from 'node:sqlite';

export interface BookRow {
  readonly key: string;
  readonly timestampMs: number;
  readonly number: number;
  readonly year: number;
  readonly title: string;
}

/** The peer for indexes of fields: one table in SQLite with an index for each question. */
export class SqliteBooks {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    this.#database.exec(`
      PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -262144;
      PRAGMA mmap_size = 1073741824;
      CREATE TABLE book (
        id INTEGER PRIMARY KEY, key TEXT UNIQUE, timestamp INTEGER, number INTEGER, year INTEGER,
        title TEXT);
      CREATE INDEX book_number ON book (number);
      CREATE INDEX book_year ON book (year, timestamp);
      CREATE INDEX book_timestamp ON book (timestamp);`);
  }

  load(rows: readonly BookRow[]): void {
    const insert = this.#statement('INSERT INTO book VALUES (NULL, ?, ?, ?, ?, ?)');
    for (let start = 0; start < rows.length; start += 10_000) {
      this.#database.exec('BEGIN');
      for (const row of rows.slice(start, start + 10_000)) {
        insert.run(row.key, row.timestampMs, row.number, row.year, row.title);
      }
      this.#database.exec('COMMIT');
    }
  }

  byNumber(number: number): unknown[] {
    return this.#statement('SELECT * FROM book WHERE number = ?').all(number);
  }

  byKey(key: string): unknown {
    return this.#statement('SELECT * FROM book WHERE key = ?').get(key);
  }

  firstFrom(year: number): unknown[] {
    const sql = 'SELECT * FROM book WHERE year > ? ORDER BY year, timestamp DESC LIMIT 5';
    return this.#statement(sql).all(year);
  }

  newest(): unknown[] {
    return this.#statement('SELECT * FROM book ORDER BY timestamp DESC LIMIT 5').all();
  }

  countFrom(year: number): number {
    const row = this.#statement('SELECT count(*) AS n FROM book WHERE year > ?').get(year);
    return Number(row?.['n']);
  }

  years(): unknown[] {
    return this.#statement(
      'SELECT year AS value, count(*) AS count FROM book GROUP BY year ORDER BY count DESC, year',
    ).all();
  }

  close(): void {
    this.#database.close();
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }
}
