import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { ConnectorError } from './connector-error.ts';
import type { Effect } from './effects.ts';
import type { RowAccess, ToldAccess } from './row-access.ts';
import { PLAIN_TEXTS, type StateTexts } from './state-texts.ts';

/** Format of the tables below. The first had no contents. */
const FORMAT = 2;
const SQLITE_BUSY = 5;
const SQLITE_NOT_A_DATABASE = 26;

const TABLES = `
  CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS source_row (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, hash BLOB NOT NULL, run INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS source_row_by_run ON source_row (run);
  CREATE TABLE IF NOT EXISTS effect (
    effect TEXT NOT NULL, row_number INTEGER NOT NULL, content BLOB NOT NULL,
    PRIMARY KEY (effect, row_number)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS effect_by_row ON effect (row_number);
  CREATE TABLE IF NOT EXISTS gone (
    effect TEXT NOT NULL, content BLOB NOT NULL, PRIMARY KEY (effect, content)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS readers (
    number INTEGER PRIMARY KEY, content TEXT NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE IF NOT EXISTS row_access (
    row_number INTEGER PRIMARY KEY, node TEXT NOT NULL, readers_number INTEGER, same_as INTEGER
  ) STRICT;
  CREATE INDEX IF NOT EXISTS row_access_by_readers ON row_access (readers_number);
`;
/**
 * Changes a state of the first format. No row has the content that stands for one that is not
 * known.
 */
const FROM_FIRST_FORMAT = `
  ALTER TABLE effect ADD COLUMN content BLOB NOT NULL DEFAULT x'';
  ALTER TABLE gone RENAME TO former_gone;
  CREATE TABLE gone (
    effect TEXT NOT NULL, content BLOB NOT NULL, PRIMARY KEY (effect, content)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO gone SELECT effect, x'' FROM former_gone;
  DROP TABLE former_gone;
`;

/** What the state keeps besides rows, each as JSON. */
export type SettingName =
  | 'format'
  | 'name'
  | 'version'
  | 'workspace'
  | 'sequence'
  | 'cursor'
  | 'run';

/**
 * What a connector remembers of its runs: the cursor of the source, a hash of each row, and what
 * each row brought. A file of SQLite, open in one process at a time; after a crash it is as it was
 * after the last commit. It holds no content of rows but their ids and the keys of their nodes.
 */
export class ConnectorState implements Disposable {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  readonly #texts: StateTexts;

  private constructor(database: DatabaseSync, texts: StateTexts) {
    this.#database = database;
    this.#texts = texts;
  }

  /** `:memory:` is a state that forgets. Throws `state_in_use` or `state_mismatch`. */
  static open(path: string, texts = PLAIN_TEXTS): ConnectorState {
    const database = new DatabaseSync(path);
    try {
      database.exec('PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE;');
      database.exec('BEGIN EXCLUSIVE');
      database.exec(TABLES);
      const state = new ConnectorState(database, texts);
      state.#bringUp(path);
      database.exec('COMMIT');
      return state;
    } catch (error) {
      database.close();
      throw explained(error, path);
    }
  }

  get<T>(name: SettingName): T | undefined {
    const row = this.#prepared('SELECT value FROM setting WHERE name = ?').get(name);
    if (row === undefined) return undefined;
    const value = String(row['value']);
    return JSON.parse(isSealed(name) ? this.#texts.open(value) : value);
  }

  /** `undefined` forgets it. */
  set(name: SettingName, value: unknown): void {
    if (value === undefined) this.#prepared('DELETE FROM setting WHERE name = ?').run(name);
    else {
      const sql = 'INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)';
      const text = JSON.stringify(value);
      this.#prepared(sql).run(name, isSealed(name) ? this.#texts.seal(text) : text);
    }
  }

  hasHash(id: string, hash: Uint8Array): boolean {
    const sql = 'SELECT 1 FROM source_row WHERE id = ? AND hash = ?';
    return this.#prepared(sql).get(this.#texts.seal(id), hash) !== undefined;
  }

  hasRow(id: string): boolean {
    return (
      this.#prepared('SELECT 1 FROM source_row WHERE id = ?').get(this.#texts.seal(id)) !==
      undefined
    );
  }

  /** The row is as if it had changed. */
  forgetHash(id: string): void {
    this.#prepared("UPDATE source_row SET hash = x'' WHERE id = ?").run(this.#texts.seal(id));
  }

  /** Every row is as if it had changed; what they brought is still known. */
  forgetHashes(): void {
    this.#database.exec("UPDATE source_row SET hash = x''");
  }

  /** What it brought before and does not bring now becomes `gone`. */
  putRow(id: string, row: { hash: Uint8Array; run: number; effects: readonly Effect[] }): void {
    const upsert = `INSERT INTO source_row (id, hash, run) VALUES (?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET hash = excluded.hash, run = excluded.run RETURNING number`;
    const number = Number(
      this.#prepared(upsert).get(this.#texts.seal(id), row.hash, row.run)?.['number'],
    );
    // What it brings again is said anew by the commit that this is for: nothing of it is gone.
    const again = this.#prepared('DELETE FROM effect WHERE effect = ? AND row_number = ?');
    const effects = this.#sealed(row.effects);
    for (const { effect } of effects) again.run(effect, number);
    this.#dropEffects(number);
    const sql = 'INSERT INTO effect (effect, row_number, content) VALUES (?, ?, ?)';
    for (const { effect, content } of effects) this.#prepared(sql).run(effect, number, content);
  }

  markSeen(id: string, run: number): void {
    this.#prepared('UPDATE source_row SET run = ? WHERE id = ?').run(run, this.#texts.seal(id));
  }

  /** What it brought becomes `gone`. False when there is no such row. */
  deleteRow(id: string): boolean {
    const sql = 'DELETE FROM source_row WHERE id = ? RETURNING number';
    const row = this.#prepared(sql).get(this.#texts.seal(id));
    if (row === undefined) return false;
    const number = Number(row['number']);
    this.#dropEffects(number);
    this.#prepared('DELETE FROM row_access WHERE row_number = ?').run(number);
    return true;
  }

  /** Who may see at the source what a row brings; a row that is not known stays unknown. */
  putAccess(id: string, access: RowAccess): void {
    const { type, key } = access.node;
    const node = this.#texts.seal(JSON.stringify([type, key]));
    const row = this.#texts.seal(id);
    const isShared = 'sameAs' in access;
    const told = this.#texts.seal(isShared ? access.sameAs : JSON.stringify(access.readers));
    if (!isShared) {
      this.#prepared('INSERT OR IGNORE INTO readers (content) VALUES (?)').run(told);
    }
    const [column, found] = isShared
      ? ['same_as', '(SELECT number FROM source_row WHERE id = ?)']
      : ['readers_number', '(SELECT number FROM readers WHERE content = ?)'];
    const sql = `INSERT OR REPLACE INTO row_access (row_number, node, ${column})
      SELECT number, ?, ${found} FROM source_row WHERE id = ?`;
    this.#prepared(sql).run(node, told, row);
  }

  countAccess(): number {
    return Number(this.#prepared('SELECT count(*) AS rows FROM row_access').get()?.['rows']);
  }

  /** In the order in which rows came first. */
  access(skip: number, take: number): ToldAccess[] {
    const sql = `SELECT source_row.id, row_access.node, readers.content FROM row_access
      JOIN source_row ON source_row.number = row_access.row_number
      LEFT JOIN row_access AS shared ON shared.row_number = row_access.same_as
      LEFT JOIN readers
        ON readers.number = coalesce(row_access.readers_number, shared.readers_number)
      ORDER BY row_access.row_number LIMIT ? OFFSET ?`;
    return this.#prepared(sql)
      .all(take, skip)
      .map((row) => {
        const [type, key] = JSON.parse(this.#texts.open(String(row['node'])));
        const { content } = row;
        const readers = content === null ? null : JSON.parse(this.#texts.open(String(content)));
        return { row: this.#texts.open(String(row['id'])), node: { type, key }, readers };
      });
  }

  forgetUnusedReaders(): void {
    this.#database.exec(`DELETE FROM readers
      WHERE NOT EXISTS (SELECT 1 FROM row_access WHERE readers_number = readers.number)`);
  }

  /** What may be about to come, until a row brings it; gives those that were not `gone` before. */
  addGone(effects: readonly Effect[]): Effect[] {
    const insert = this.#prepared('INSERT OR IGNORE INTO gone (effect, content) VALUES (?, ?)');
    const isNew = ({ effect, content }: Effect): boolean =>
      insert.run(this.#texts.seal(effect), content).changes === 1;
    return effects.filter(isNew);
  }

  forgetGone(effects: readonly Effect[]): void {
    const remove = this.#prepared('DELETE FROM gone WHERE effect = ? AND content = ?');
    for (const { effect, content } of this.#sealed(effects)) remove.run(effect, content);
  }

  /**
   * What some row brought once and none brings now, up to so many, is forgotten and given, to be
   * taken back. What a row still brings stays; when none says of it what was said last, those rows
   * are as if they had changed, for the next run to say it again.
   */
  takeGone(take: number): string[] {
    // One search of the index for each that is gone: all that is brought may be a thousand times as
    // much.
    this.#prepared(`UPDATE source_row SET hash = x'' WHERE number IN (
      SELECT brought.row_number FROM gone JOIN effect AS brought ON brought.effect = gone.effect
      WHERE NOT EXISTS (
        SELECT 1 FROM effect WHERE effect.effect = gone.effect AND effect.content = gone.content
      ))`).run();
    const brought = `DELETE FROM gone
      WHERE EXISTS (SELECT 1 FROM effect WHERE effect.effect = gone.effect)`;
    this.#prepared(brought).run();
    const sql = `DELETE FROM gone WHERE effect IN (SELECT DISTINCT effect FROM gone LIMIT ?)
      RETURNING effect`;
    const rows = this.#prepared(sql).all(take);
    const written = new Set(rows.map((row) => String(row['effect'])));
    return [...written].map((effect) => this.#texts.open(effect));
  }

  countRows(): number {
    return Number(this.#prepared('SELECT count(*) AS rows FROM source_row').get()?.['rows']);
  }

  countUnseen(run: number): number {
    const sql = 'SELECT count(*) AS rows FROM source_row WHERE run < ?';
    return Number(this.#prepared(sql).get(run)?.['rows']);
  }

  /** Ids of rows that this run was not given. */
  unseen(run: number, take: number): string[] {
    const sql = 'SELECT id FROM source_row WHERE run < ? LIMIT ?';
    const rows = this.#prepared(sql).all(run, take);
    return rows.map((row) => this.#texts.open(String(row['id'])));
  }

  /** All that follows until `keep` or `discard` is one change of the state. They may be nested. */
  begin(): void {
    this.#database.exec('SAVEPOINT change');
  }

  keep(): void {
    this.#database.exec('RELEASE change');
  }

  discard(): void {
    this.#database.exec('ROLLBACK TO change; RELEASE change');
  }

  /** Nothing stays of a change that was not kept. */
  [Symbol.dispose](): void {
    this.#database.close();
  }

  #sealed(effects: readonly Effect[]): Effect[] {
    return effects.map(({ effect, content }) => ({ effect: this.#texts.seal(effect), content }));
  }

  #dropEffects(rowNumber: number): void {
    const gone = `INSERT OR IGNORE INTO gone
      SELECT effect, content FROM effect WHERE row_number = ?`;
    this.#prepared(gone).run(rowNumber);
    this.#prepared('DELETE FROM effect WHERE row_number = ?').run(rowNumber);
  }

  #bringUp(path: string): void {
    const format = this.get<number>('format');
    if (format === FORMAT) return;
    if (format === undefined || format === 1) {
      if (format === 1) this.#database.exec(FROM_FIRST_FORMAT);
      return this.set('format', FORMAT);
    }
    throw new ConnectorError(
      'state_mismatch',
      `${path} has format ${format}, which is newer than this kit (${FORMAT}): use a newer one`,
    );
  }

  #prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** The format is read before anything else. */
function isSealed(name: SettingName): boolean {
  return name !== 'format';
}

function explained(error: unknown, path: string): unknown {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  if (code === SQLITE_NOT_A_DATABASE) {
    return new ConnectorError('state_mismatch', `${path} is not the state of a connector`);
  }
  if (code !== SQLITE_BUSY) return error;
  const message = `${path} is in use by another run of the connector; one source is read by one run at a time`;
  return new ConnectorError('state_in_use', message, { cause: error });
}
