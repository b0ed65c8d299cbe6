import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'vitest';
import { openGraphReader } from '../../server/src/graph/open-reader.ts';
import type { Query } from '../../server/src/graph/query/plan.ts';
import { runQuery } from '../../server/src/graph/query/run.ts';
import type { StateReader } from '../../server/src/graph/state-reader.ts';
import { readStoreKeys } from '../../server/src/store/master-key.ts';
import { type HttpClient, valueAt } from './http-client.ts';

export const NODES = 6_000;
const STARTS = 12;

/** A write of pages that link to each other; some are hubs, some are deleted and made again. */
export function pageChanges(count: number, random: () => number): unknown[] {
  const any = (): number => Math.floor(random() * NODES);
  const page = (i: number) => ({ type: 'Page', key: `p${i}` });
  return Array.from({ length: count }, () => {
    const from = any();
    const to = random() < 0.2 ? from % 3 : any();
    const link = { from: page(from), edge: 'LinksTo', to: page(to) };
    const upserts = [from, to].map((i) => ({ op: 'addOrUpdate', ...page(i), fields: {} }));
    if (random() < 0.01) return [...upserts, { op: 'delete', ...page(from) }];
    return [...upserts, { op: random() < 0.25 ? 'unlink' : 'link', ...link }];
  }).flat();
}

export function allPages(): unknown[] {
  return Array.from({ length: NODES }, (_, i) => ({
    op: 'addOrUpdate',
    type: 'Page',
    key: `p${i}`,
    fields: {},
  }));
}

export async function ingest(http: HttpClient, token: string, operations: unknown): Promise<void> {
  const { status, text } = await http.send({ path: '/api/ingest', token, body: { operations } });
  expect(status, text).toBe(200);
}

export async function preparePages(http: HttpClient, token: string): Promise<void> {
  const body = { nodes: [{ type: 'Page', key: 'Key', fields: {} }], edges: [{ type: 'LinksTo' }] };
  const defined = await http.send({ method: 'PUT', path: '/api/schema', token, body });
  expect(defined.status, defined.text).toBe(200);
  const created = await http.send({
    path: '/api/endpoints/create',
    token,
    body: {
      name: 'walk',
      isReadOnly: true,
      code: `export default async function ({ q }: Scope) {
        const nodes = await q().startAt('Page').sortByConnectivity().take(${STARTS}).nodes();
        const start = () => q().startAt('Page', nodes.map(({ Id }) => String(Id)));
        const reached = await start().outMany(2).count();
        const summary = await q().startAt('Page').neighborsSummary();
        return { best: nodes.map(({ Id }) => Id), reached, links: summary['LinksTo'] ?? 0 };
      }`,
    },
  });
  expect(created.json).toMatchObject({ compiles: true });
}

const query = (steps: Query['steps'], end: Query['end']): Query => ({ steps, end });

function walk(reader: StateReader): unknown {
  const best = runQuery(
    reader,
    query(
      [
        { op: 'startAt', type: 'Page' },
        { op: 'sortByConnectivity' },
        { op: 'take', count: STARTS },
      ],
      { end: 'nodes' },
    ),
  ) as { Id: string }[];
  const keys = best.map(({ Id }) => Id);
  const reached = runQuery(
    reader,
    query(
      [
        { op: 'startAt', type: 'Page', keys },
        { op: 'outMany', hops: 2 },
      ],
      { end: 'count' },
    ),
  );
  const links = runQuery(
    reader,
    query([{ op: 'startAt', type: 'Page' }], { end: 'neighborsSummary' }),
  );
  return { best: keys, reached, links: valueAt(links, 'LinksTo') ?? 0 };
}

/** Two readers of the store of a running server, of which one has no rows. */
export class RowWatch implements Disposable {
  readonly #withRows: StateReader;
  readonly #withKeys: StateReader;
  /** So many answers were compared, and so many of them came from rows. */
  compared = 0;
  fromRows = 0;

  constructor(storage: string, masterKey?: string) {
    const { environmentKey } = readStoreKeys({ storage, masterKey });
    this.#withRows = openGraphReader({ storage, environmentKey });
    this.#withKeys = openGraphReader({ storage, environmentKey, rowMemoryBytes: 0 });
  }

  [Symbol.dispose](): void {
    this.#withRows[Symbol.dispose]();
    this.#withKeys[Symbol.dispose]();
  }

  /** The newest commit that the store has. */
  get sequence(): number {
    return this.#withRows.refresh();
  }

  /** How far the rows go now. */
  get packedIds(): number {
    this.#withRows.refresh();
    return this.#withRows.packedRows()?.packedIds ?? 0;
  }

  /** Whether all is packed that can be, and nothing has changed since. */
  get isPacked(): boolean {
    this.#withRows.refresh();
    const rows = this.#withRows.packedRows();
    const { nextId } = this.#withRows;
    return rows !== undefined && rows.changedIds.size === 0 && nextId - rows.packedIds < 128;
  }

  /** Compares both at one commit; answers what the keys say. */
  compare(): unknown {
    while (this.#withRows.refresh() !== this.#withKeys.refresh());
    if (this.#withRows.packedRows() !== undefined) this.fromRows++;
    const answer = walk(this.#withKeys);
    expect(walk(this.#withRows)).toEqual(answer);
    this.compared++;
    return answer;
  }

  /** Goes on comparing until something is so. */
  async compareUntil(isSo: () => boolean): Promise<void> {
    for (;;) {
      this.compare();
      if (isSo()) return;
      await nextTurn();
    }
  }
}

/** What the endpoint of `preparePages` answers. */
export async function walkAt(http: HttpClient, token: string): Promise<unknown> {
  const answer = await http.send({ method: 'POST', path: '/api/endpoints/run/walk', token });
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}
