import { DatabaseSync, type StatementSync } from 'node:sqlite';

/**
 * The peer for access: members and restrictions as two tables in memory, and a view of them asked
 * for each time.
 */
export class SqliteAccess {
  readonly #database = new DatabaseSync(':memory:');
  readonly #visible: StatementSync;

  constructor(
    members: readonly (readonly [member: string, team: string])[],
    restrictions: readonly (readonly [node: string, principal: string])[],
  ) {
    this.#database.exec(`
      CREATE TABLE member (member TEXT, team TEXT, PRIMARY KEY (member, team)) WITHOUT ROWID;
      CREATE TABLE restriction (principal TEXT, node TEXT, PRIMARY KEY (principal, node)) WITHOUT ROWID;
      BEGIN`);
    const member = this.#database.prepare('INSERT INTO member VALUES (?, ?)');
    for (const row of members) member.run(...row);
    const restriction = this.#database.prepare('INSERT INTO restriction VALUES (?, ?)');
    for (const [node, principal] of restrictions) restriction.run(principal, node);
    this.#database.exec('COMMIT');
    this.#visible = this.#database.prepare(`
      WITH RECURSIVE principal (name) AS (SELECT ? UNION SELECT team FROM principal JOIN member ON member = name)
      SELECT count(DISTINCT node) AS count FROM principal JOIN restriction ON principal = name`);
  }

  countVisible(user: string): number {
    return Number(this.#visible.get(user)?.['count']);
  }

  close(): void {
    this.#database.close();
  }
}
