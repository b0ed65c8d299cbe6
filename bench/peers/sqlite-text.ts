import { DatabaseSync, type StatementSync } from 'node:sqlite';

export interface AnalysedText {
  readonly names: string;
  readonly gloss: string;
}

/**
 * SQLite's FTS5 in memory, with texts that are already analyzed: it keeps no content, and its
 * tokenizer leaves words as they are. An allow-list is written with `+rowid`, so that it does not
 * become the query's first step.
 */
export class SqliteText {
  readonly #database = new DatabaseSync(':memory:');
  readonly #insert: StatementSync;
  readonly #search: StatementSync;
  readonly #searchAllowed: StatementSync;
  readonly #count: StatementSync;

  constructor(namesBoost: number) {
    this.#database.exec(`
      CREATE VIRTUAL TABLE text USING fts5 (names, gloss, content='', tokenize="ascii tokenchars '_+#'");
      INSERT INTO text (text, rank) VALUES ('rank', 'bm25(${namesBoost}, 1)');
      CREATE TABLE allowed (node INTEGER PRIMARY KEY);
      BEGIN`);
    this.#insert = this.#database.prepare(
      'INSERT INTO text (rowid, names, gloss) VALUES (?, ?, ?)',
    );
    const found = 'SELECT rowid FROM text WHERE text MATCH ?';
    const best = 'ORDER BY rank LIMIT ?';
    this.#search = this.#database.prepare(`${found} ${best}`);
    this.#count = this.#database.prepare('SELECT count(*) AS count FROM text WHERE text MATCH ?');
    this.#searchAllowed = this.#database.prepare(
      `${found} AND +rowid IN (SELECT node FROM allowed) ${best}`,
    );
  }

  /** Row numbers begin with 1. */
  add(node: number, { names, gloss }: AnalysedText): void {
    this.#insert.run(node + 1, names, gloss);
  }

  /** One b-tree of each word, as after many merges. */
  finish(): void {
    this.#database.exec(`COMMIT; INSERT INTO text (text) VALUES ('optimize')`);
  }

  allow(nodes: Iterable<number>): void {
    const insert = this.#database.prepare('INSERT OR IGNORE INTO allowed VALUES (?)');
    this.#database.exec('BEGIN');
    for (const node of nodes) insert.run(node + 1);
    this.#database.exec('COMMIT');
  }

  /** In the syntax of FTS5. */
  search(query: string, limit: number): number[] {
    return nodesOf(this.#search.all(query, limit));
  }

  searchAllowed(query: string, limit: number): number[] {
    return nodesOf(this.#searchAllowed.all(query, limit));
  }

  count(query: string): number {
    return Number(this.#count.get(query)?.['count']);
  }

  get bytes(): number {
    const pages = this.#database.prepare('PRAGMA page_count').get()?.['page_count'];
    const size = this.#database.prepare('PRAGMA page_size').get()?.['page_size'];
    return Number(pages) * Number(size);
  }

  close(): void {
    this.#database.close();
  }
}

function nodesOf(rows: readonly Record<string, unknown>[]): number[] {
  return rows.map((row) => Number(row['rowid']) - 1);
}
