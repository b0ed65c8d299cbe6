import { expect, test } from 'vitest';
import { scale, seed } from '../support/scale.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { Cluster, type ClusterNode } from './cluster.ts';
import { expectOk, sequenceOf } from './workload.ts';

const SCHEMA = {
  nodes: [
    {
      type: 'Book',
      key: 'Name',
      fields: { Pages: 'Int', Shelf: 'String' },
      indexes: [{ field: 'Shelf' }],
    },
    { type: 'Done', key: 'Call', fields: { Seen: 'Json' } },
    { type: 'Made', fields: { Call: 'String' } },
  ],
  edges: [],
};

/** What it writes depends on what it has read. Sent again, a call that is done only answers. */
const STEP = `
interface Call {
  readonly id: string;
  readonly reads: readonly { get?: string; shelf?: string }[];
  readonly writes: readonly { put?: string; shelf?: string; delete?: string }[];
}
export default async function ({ body, graph, q }: Scope<Call>) {
  const known = await graph.tryGet('Done', body.id);
  if (known !== null) return known.Seen;
  const seen: number[] = [];
  for (const { get, shelf } of body.reads) {
    const found = get === undefined
      ? await q().startWhere('Book', 'Shelf', '=', shelf ?? '').nodes()
      : [await graph.tryGet('Book', get)];
    seen.push(found.reduce((sum, book) => sum + (book?.Pages ?? 0), 0));
  }
  const pages = seen.reduce((sum, value) => sum + value, 1) % 1000;
  for (const write of body.writes) {
    if (write.delete !== undefined) await graph.delete('Book', write.delete);
    else await graph.addOrUpdate('Book', write.put ?? '', { Pages: pages, Shelf: write.shelf ?? '' });
  }
  await graph.addOrUpdate({ type: 'Made', fields: { Call: body.id } });
  await graph.addOrUpdate('Done', body.id, { Seen: seen });
  return seen;
}
`;
const LOOK = `
export default async function ({ q }: Scope) {
  const books = await q().startAt('Book').nodes();
  const made = await q().startAt('Made').nodes();
  return {
    books: books.map(({ Name, Pages, Shelf }) => [Name, { pages: Pages, shelf: Shelf }]),
    made: made.map(({ Call }) => Call),
  };
}
`;

const BOOKS = ['a', 'b', 'c', 'd'];
const SHELVES = ['low', 'high'];
const CALLS_AT_ONCE = 6;
const TIMEOUT_MS = scale({ sample: 180_000, soak: 3_600_000 });

type Books = ReadonlyMap<string, { readonly pages: number; readonly shelf: string }>;
interface Call {
  readonly id: string;
  readonly reads: readonly { readonly get?: string; readonly shelf?: string }[];
  readonly writes: readonly {
    readonly put?: string;
    readonly shelf?: string;
    readonly delete?: string;
  }[];
}
interface DoneCall extends Call {
  readonly seen: readonly number[];
}

function drawCall(id: string, random: () => number): Call {
  const one = (choices: readonly string[]): string =>
    choices[Math.floor(random() * choices.length)] ?? '';
  const several = <T>(draw: () => T): T[] => Array.from({ length: 1 + random() * 2 }, draw);
  return {
    id,
    reads: several(() => (random() < 0.6 ? { get: one(BOOKS) } : { shelf: one(SHELVES) })),
    writes: several(() =>
      random() < 0.8 ? { put: one(BOOKS), shelf: one(SHELVES) } : { delete: one(BOOKS) },
    ),
  };
}

/** What a call sees and leaves behind when nothing runs beside it. */
function alone(books: Books, { reads, writes }: Call): { seen: number[]; after: Books } {
  const seen = reads.map(({ get, shelf }) =>
    [...books]
      .filter(([name, book]) => (get === undefined ? book.shelf === shelf : name === get))
      .reduce((sum, [, { pages }]) => sum + pages, 0),
  );
  const pages = seen.reduce((sum, value) => sum + value, 1) % 1000;
  const after = new Map(books);
  for (const { put = '', shelf = '', delete: gone } of writes) {
    if (gone === undefined) after.set(put, { pages, shelf });
    else after.delete(gone);
  }
  return { seen, after };
}

/** Whether some order of the calls, one after the other, sees and leaves the same. */
function hasOrder(before: Books, calls: readonly DoneCall[], after: Books): boolean {
  if (calls.length === 0) return sorted(before) === sorted(after);
  return calls.some((call) => {
    const made = alone(before, call);
    const isSame = JSON.stringify(made.seen) === JSON.stringify(call.seen);
    return (
      isSame &&
      hasOrder(
        made.after,
        calls.filter((one) => one !== call),
        after,
      )
    );
  });
}

const sorted = (books: Books): string => JSON.stringify([...books].toSorted());

/** Whoever is the primary, and a client that sends what was not answered again. */
class Workspace {
  node: ClusterNode;
  readonly #token: string;
  sequence = 0;

  constructor(node: ClusterNode, token: string) {
    this.node = node;
    this.#token = token;
  }

  async run(path: string, body: object): Promise<unknown> {
    const answer = await this.node.http.send({
      path: `/api/endpoints/run/${path}`,
      token: this.#token,
      body,
    });
    if (answer.status !== 200) return undefined;
    this.sequence = Math.max(this.sequence, sequenceOf(answer));
    return answer.json;
  }

  /** Undefined when it was not answered, or refused. */
  async send(call: Call): Promise<readonly number[] | undefined> {
    const seen = await this.run('step', call).catch(() => undefined);
    return Array.isArray(seen) ? seen : undefined;
  }

  async look(): Promise<{ books: Books; made: readonly string[] }> {
    const { books, made } = Object(await this.run('look', {}));
    return { books: new Map(books), made };
  }
}

async function startPrimary(cluster: Cluster): Promise<{ node: ClusterNode; token: string }> {
  const node = await cluster.node('first');
  await node.startPrimary();
  const { http } = node;
  const token = await http.signIn();
  expectOk(await http.send({ method: 'PUT', path: '/api/schema', token, body: SCHEMA }));
  const operations = BOOKS.map((key) => {
    return { op: 'addOrUpdate', type: 'Book', key, fields: { Pages: 1, Shelf: 'low' } };
  });
  expectOk(await http.send({ path: '/api/ingest', token, body: { operations } }));
  for (const [name, code] of [
    ['step', STEP],
    ['look', LOOK],
  ] as const) {
    expectOk(await http.send({ path: '/api/endpoints/create', token, body: { name, code } }));
  }
  const schema = { path: '/api/schema', token };
  await expect
    .poll(async () => JSON.stringify((await http.send(schema)).json))
    .toMatch(/"field":"Shelf"[^}]*"state":"ready"/);
  return { node, token };
}

test(
  'calls at once, cut off by kills and sent again, before and after a promotion, are as some order of them, and none is done twice',
  async () => {
    const random = seededRandom(seed());
    const rounds = scale({ sample: 6, soak: 60 });
    await using cluster = await Cluster.create();
    const { node: first, token } = await startPrimary(cluster);
    const replica = await cluster.node('second');
    await replica.startReplica(await cluster.link(first));
    const workspace = new Workspace(first, token);
    const ids: string[] = [];
    let cutOff = 0;
    let { books } = await workspace.look();
    for (let round = 0; round < rounds; round++) {
      if (round === rounds / 2) await promote(workspace, replica, token);
      const calls = Array.from({ length: CALLS_AT_ONCE }, (_, i) =>
        drawCall(`${round}-${i}`, random),
      );
      const answers = calls.map((call) => workspace.send(call));
      if (round % 2 === 1) {
        // In the middle: as soon as so many of them have been answered.
        const answered = answers.slice(0, Math.floor(random() * 3));
        await Promise.race([Promise.all(answered), Promise.all(answers)]);
        await workspace.node.process.kill();
      }
      const seen = await Promise.all(answers);
      if (round % 2 === 1) await workspace.node.startPrimary();
      cutOff += seen.filter((one) => one === undefined).length;
      const done: DoneCall[] = [];
      for (const [i, call] of calls.entries()) {
        let told = seen[i];
        for (let tries = 0; told === undefined && tries < 10; tries++) {
          told = await workspace.send(call);
        }
        if (told === undefined) throw new Error(`${call.id} was never answered`);
        done.push({ ...call, seen: told });
        ids.push(call.id);
      }
      const after = await workspace.look();
      const told = JSON.stringify({ books: [...books], done, after: [...after.books] });
      expect(hasOrder(books, done, after.books), told).toBe(true);
      expect(after.made.toSorted()).toEqual(ids.toSorted());
      ({ books } = after);
    }
    expect(cutOff).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);

/** Once the replica has everything: what it had not been sent would be lost. */
async function promote(workspace: Workspace, replica: ClusterNode, token: string): Promise<void> {
  const headers = { 'x-msk-min-sequence': String(workspace.sequence) };
  const call = { path: '/api/schema', token, headers };
  await expect.poll(async () => (await replica.http.send(call)).status).toBe(200);
  await workspace.node.process.kill();
  await replica.process.stop();
  await replica.startPrimary();
  workspace.node = replica;
}
