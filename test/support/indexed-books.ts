import { setImmediate } from 'node:timers/promises';
import { expect } from 'vitest';
import { runTrellis } from './command-line.ts';
import { HttpClient, valueAt } from './http-client.ts';
import type { TrellisProcess } from './trellis-process.ts';

/** Books whose indexes are built, removed and met by faults. */
export const BOOK_INDEXES = [
  { field: 'Year' },
  { field: 'Isbn', unique: true },
  { field: 'Tags' },
  { fields: ['Year', 'Title'] },
];
const FIELDS = { Year: 'Int', Title: 'String', Isbn: 'String', Tags: 'String[]' };
const COMMIT = 5_000;

export interface IndexState {
  readonly field?: string;
  readonly fields?: readonly string[];
  readonly state: string;
  readonly entries: number;
}

/** What an administrator does on one server. */
export class BookKeeper {
  readonly http: HttpClient;
  readonly token: string;

  constructor(http: HttpClient, token: string) {
    this.http = http;
    this.token = token;
  }

  static async signIn({ url }: TrellisProcess): Promise<BookKeeper> {
    const http = new HttpClient(url);
    return new BookKeeper(http, await http.signIn());
  }

  async send(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await this.http.send({ method, path, token: this.token, body });
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.json;
  }

  async addBooks(count: number): Promise<void> {
    const nodes = [{ type: 'Book', key: 'Id', fields: FIELDS }];
    await this.send('PUT', '/api/schema', { nodes, edges: [] });
    for (let first = 0; first < count; first += COMMIT) {
      const size = Math.min(COMMIT, count - first);
      const operations = Array.from({ length: size }, (_, i) => bookOf(first + i));
      await this.send('POST', '/api/ingest', { operations });
    }
  }

  async putIndexes(indexes: readonly object[] = BOOK_INDEXES): Promise<void> {
    const nodes = [{ type: 'Book', fields: {}, indexes }];
    await this.send('PUT', '/api/schema', { nodes, edges: [] });
  }

  async removeIndexes(): Promise<void> {
    for (const { field, fields = [field] } of await this.indexes()) {
      await this.send('DELETE', '/api/schema/indexes', { type: 'Book', fields });
    }
  }

  async indexes(): Promise<readonly IndexState[]> {
    const schema = await this.send('GET', '/api/schema');
    const types = valueAt(schema, 'nodes') as { type: string; indexes?: IndexState[] }[];
    return types.find(({ type }) => type === 'Book')?.indexes ?? [];
  }

  /** Whether an index was seen that had some of its entries, and not all. */
  async untilHalfBuilt(): Promise<boolean> {
    for (;;) {
      const known = await this.indexes();
      if (known.some(({ state, entries }) => state === 'building' && entries > 0)) return true;
      if (known.every(({ state }) => state === 'ready')) return false;
      await setImmediate();
    }
  }

  async untilReady(count = BOOK_INDEXES.length): Promise<void> {
    const states = async () => (await this.indexes()).map(({ state }) => state);
    await expect.poll(states).toEqual(Array(count).fill('ready'));
  }
}

export function bookOf(i: number): object {
  const year = i % 10 === 0 ? {} : { Year: 1900 + (i % 101) };
  const fields = { ...year, Title: `Title ${i}`, Isbn: `isbn ${i}`, Tags: [`tag ${i % 7}`, 'all'] };
  return { op: 'addOrUpdate', type: 'Book', key: `b${i}`, fields };
}

/** Every entry of the indexes in a folder that no server has open is one of its nodes. */
export async function expectVerified(
  storage: string,
  { masterKey = '', skipped = [] }: { masterKey?: string; skipped?: unknown } = {},
): Promise<void> {
  const env = { MSK_GRAPH_STORAGE: storage, MSK_GRAPH_MASTER_KEY: masterKey };
  const command = ['storage', 'verify', '--json'];
  const { code, stdout, stderr } = await runTrellis(command, { home: storage, server: '', env });
  expect(code, stdout + stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    differences: [],
    derived: { differenceCount: 0, differences: [], skipped },
  });
}
