import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { GraphTables } from '../tables.ts';

/**
 * The peer on disk: the same tables in SQLite, one transaction for each 10,000 records, synced at
 * each.
 */
export class SqliteGraph {
  readonly #database: DatabaseSync;
  readonly #point: StatementSync;
  readonly #hop: StatementSync;
  readonly #threeHops: StatementSync;
  readonly #path: StatementSync;
  readonly #bestConnected: StatementSync;

  constructor(file: string) {
    const database = new DatabaseSync(file);
    database.exec(`
      PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -262144; PRAGMA mmap_size = 1073741824;
      CREATE TABLE node (id INTEGER PRIMARY KEY, type TEXT, key TEXT, timestamp INTEGER, fields TEXT);
      CREATE UNIQUE INDEX node_key ON node (type, key);
      CREATE INDEX node_type ON node (type, timestamp);
      CREATE TABLE edge (source INTEGER, type TEXT, target INTEGER, timestamp INTEGER, fields TEXT,
        PRIMARY KEY (source, type, target)) WITHOUT ROWID;
      CREATE INDEX edge_target ON edge (target, type, source);`);
    this.#database = database;
    this.#point = database.prepare('SELECT * FROM node WHERE type = ? AND key = ?');
    this.#hop = database.prepare('SELECT target FROM edge WHERE source = ?');
    this.#threeHops = database.prepare(`
      WITH RECURSIVE reached (id, depth) AS (
        SELECT ?, 0 UNION SELECT target, depth + 1 FROM reached JOIN edge ON source = id WHERE depth < 3)
      SELECT count(DISTINCT id) AS count FROM reached WHERE depth > 0`);
    this.#path = database.prepare(`
      WITH RECURSIVE reached (id, depth) AS (
        SELECT ?, 0 UNION SELECT target, depth + 1 FROM reached JOIN edge ON source = id WHERE depth < ?)
      SELECT depth FROM reached WHERE id = ? LIMIT 1`);
    this.#bestConnected = database.prepare(`
      SELECT id, count(*) AS degree FROM (
        SELECT source AS id FROM edge UNION ALL SELECT target FROM edge)
      GROUP BY id ORDER BY degree DESC LIMIT ?`);
  }

  load(tables: GraphTables): void {
    const node = this.#database.prepare('INSERT INTO node VALUES (?, ?, ?, ?, ?)');
    const edge = this.#database.prepare('INSERT OR IGNORE INTO edge VALUES (?, ?, ?, ?, ?)');
    const timestamp = Date.now();
    this.#inTransactions(tables.nodes, (row) =>
      node.run(row.id, row.type, row.key, timestamp, JSON.stringify(row.fields)),
    );
    this.#inTransactions(tables.edges, (row) =>
      edge.run(
        row.source,
        row.type,
        row.target,
        timestamp,
        row.fields && JSON.stringify(row.fields),
      ),
    );
  }

  point(type: string, key: string): unknown {
    const row = this.#point.get(type, key);
    return row && { ...row, ...JSON.parse(String(row['fields'])) };
  }

  hop(id: number): number[] {
    return this.#hop.all(id).map((row) => Number(row['target']));
  }

  threeHops(id: number): number {
    return Number(this.#threeHops.get(id)?.['count']);
  }

  pathLength(from: number, to: number, hopsMax: number): number | null {
    const row = this.#path.get(from, hopsMax, to);
    return row === undefined ? null : Number(row['depth']);
  }

  /** The numbers of edges of those that have most. */
  bestConnected(count: number): number[] {
    return this.#bestConnected.all(count).map((row) => Number(row['degree']));
  }

  close(): void {
    this.#database.close();
  }

  #inTransactions<Row>(rows: readonly Row[], insert: (row: Row) => unknown): void {
    for (let start = 0; start < rows.length; start += 10_000) {
      this.#database.exec('BEGIN');
      for (const row of rows.slice(start, start + 10_000)) insert(row);
      this.#database.exec('COMMIT');
    }
  }
}
