import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { processesBelow } from '../support/process-memory.ts';
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
  edges: [{ type: 'Cites' }],
};

/**
 * What it writes depends on what it has read. It has a transaction for each part. Sent again, a
 * part that is done only answers; the first time nothing keeps it from being done twice.
 */
const STEP = `
interface Part {
  readonly id: string;
  readonly reads: readonly { get?: string; shelf?: string; out?: string }[];
  readonly writes: readonly { put?: string; shelf?: string; delete?: string; link?: string; to?: string }[];
}
export default async function ({ body, graph, q }: Scope<{ parts: Part[]; isAgain: boolean }>) {
  const seen = [await step(body.parts[0]!)];
  for (const part of body.parts.slice(1)) {
    await graph.commit();
    seen.push(await step(part));
  }
  return seen;

  async function step({ id, reads, writes }: Part) {
  const known = body.isAgain ? await graph.tryGet('Done', id) : null;
  if (known !== null) return known.Seen;
  const seen: number[] = [];
  for (const { get, shelf, out } of reads) {
    if (out !== undefined) seen.push(await q().startAt('Book', out).out('Book', 'Cites').count());
    else if (get === undefined && shelf === undefined) seen.push(await q().startAt('Book').count());
    else {
      const found = get === undefined
        ? await q().startWhere('Book', 'Shelf', '=', shelf ?? '').nodes()
        : [await graph.tryGet('Book', get)];
      seen.push(found.reduce((sum, book) => sum + (book?.Pages ?? 0), 0));
    }
  }
  const pages = seen.reduce((sum, value) => sum + value, 1) % 1000;
  for (const { put = '', shelf: Shelf = '', delete: gone, link, to = '' } of writes) {
    if (gone !== undefined) await graph.delete('Book', gone);
    else if (link === undefined) await graph.addOrUpdate('Book', put, { Pages: pages, Shelf });
    else if ((await graph.getMany('Book', [link, to])).every((book) => book !== null)) {
      await graph.link({ type: 'Book', key: link }, 'Cites', { type: 'Book', key: to });
    }
  }
  await graph.addOrUpdate({ type: 'Made', fields: { Call: id } });
  await graph.addOrUpdate('Done', id, { Seen: seen });
  return seen;
  }
}
`;
/** The same within the transaction of another endpoint. */
const NESTED = `export default ({ body, run }: Scope) => run<unknown>('step', body as never);\n`;
const LOOK = `
export default async function ({ q }: Scope) {
  const books = await q().startAt('Book').nodes();
  const made = await q().startAt('Made').nodes();
  const cited = [];
  for (const { Name } of books) {
    const found = await q().startAt('Book', Name).out('Book', 'Cites').nodes();
    cited.push(...found.map((book) => Name + ' ' + book.Name));
  }
  return {
    books: books.map(({ Name, Pages, Shelf }) => [Name, { pages: Pages, shelf: Shelf }]),
    edges: cited,
    made: made.map(({ Call }) => Call),
  };
}
`;

const BOOKS = ['a', 'b', 'c', 'd'];
const CALLS_AT_ONCE = 6;
const TIMEOUT_MS = scale({ sample: 300_000, soak: 3_600_000 });

/** What befalls the calls of a round, one after the other. */
const FATES = ['nothing', 'workers killed', 'server killed', 'replica promoted'] as const;
type Fate = (typeof FATES)[number];

interface Library {
  readonly books: ReadonlyMap<string, { readonly pages: number; readonly shelf: string }>;
  /** "from to" */
  readonly edges: ReadonlySet<string>;
}
/** What is one transaction. */
interface Part {
  readonly id: string;
  readonly reads: readonly {
    readonly get?: string;
    readonly shelf?: string;
    readonly out?: string;
  }[];
  readonly writes: readonly {
    readonly put?: string;
    readonly shelf?: string;
    readonly delete?: string;
    readonly link?: string;
    readonly to?: string;
  }[];
}
interface DonePart extends Part {
  readonly seen: readonly number[];
}
interface Call {
  readonly path: 'step' | 'nested';
  /** With `graph.commit()` between them. */
  readonly parts: readonly Part[];
}
/** The parts of a call, in their order. */
type DoneCall = readonly DonePart[];

function drawCall(id: string, random: () => number): Call {
  const one = <T>(choices: readonly [T, ...T[]]): T =>
    choices[Math.floor(random() * choices.length)] ?? choices[0];
  const book = () => one(['a', 'b', 'c', 'd']);
  const shelf = () => one(['low', 'high']);
  const several = <T>(draw: () => T): T[] => Array.from({ length: 1 + random() * 2 }, draw);
  const read = () =>
    one([
      () => ({ get: book() }),
      () => ({ shelf: shelf() }),
      () => ({ out: book() }),
      () => ({}),
    ])();
  const put = () => ({ put: book(), shelf: shelf() });
  const link = () => ({ link: book(), to: book() });
  const write = () => one([put, put, link, () => ({ delete: book() })])();
  const path = one(['step', 'nested'] as const);
  // What another endpoint runs is part of its transaction.
  const count = path === 'step' ? one([1, 1, 2]) : 1;
  const parts = Array.from({ length: count }, (_, i) => {
    return { id: `${id}-${i}`, reads: several(read), writes: several(write) };
  });
  return { path, parts };
}

/** What a transaction sees and leaves behind when nothing runs beside it. */
function alone(library: Library, { reads, writes }: Part): { seen: number[]; after: Library } {
  const seen = reads.map(({ get, shelf, out }) => {
    if (out !== undefined) {
      return [...library.edges].filter((edge) => edge.startsWith(`${out} `)).length;
    }
    if (get === undefined && shelf === undefined) return library.books.size;
    return [...library.books]
      .filter(([name, book]) => (get === undefined ? book.shelf === shelf : name === get))
      .reduce((sum, [, { pages }]) => sum + pages, 0);
  });
  const pages = seen.reduce((sum, value) => sum + value, 1) % 1000;
  const books = new Map(library.books);
  const edges = new Set(library.edges);
  for (const { put = '', shelf = '', delete: gone, link, to = '' } of writes) {
    if (gone !== undefined) {
      books.delete(gone);
      for (const edge of edges) if (edge.split(' ').includes(gone)) edges.delete(edge);
    } else if (link === undefined) {
      books.set(put, { pages, shelf });
    } else if (books.has(link) && books.has(to)) {
      edges.add(`${link} ${to}`);
    }
  }
  return { seen, after: { books, edges } };
}

/** Whether some order of the transactions, one after the other, sees and leaves the same. */
function hasOrder(before: Library, calls: readonly DoneCall[], after: Library): boolean {
  if (calls.length === 0) return textOf(before) === textOf(after);
  return calls.some((call) => {
    const [part, ...later] = call;
    if (part === undefined) return false;
    const made = alone(before, part);
    const isSame = JSON.stringify(made.seen) === JSON.stringify(part.seen);
    const others = calls.filter((one) => one !== call);
    return isSame && hasOrder(made.after, later.length === 0 ? others : [...others, later], after);
  });
}

const textOf = ({ books, edges }: Library): string =>
  JSON.stringify([[...books].toSorted(), [...edges].toSorted()]);

/** What a call was told; undefined for no answer, when it may be done or not. */
type Told = { readonly seen: readonly (readonly number[])[] } | 'refused' | undefined;

function doneCall({ parts }: Call, seen: readonly (readonly number[])[]): DoneCall {
  return parts.map((part, i) => ({ ...part, seen: seen[i] ?? [] }));
}

/** Whoever is the primary, and a client that sends what was not answered again. */
class Workspace {
  node: ClusterNode;
  replica: ClusterNode;
  readonly token: string;
  sequence = 0;

  constructor(node: ClusterNode, replica: ClusterNode, token: string) {
    this.node = node;
    this.replica = replica;
    this.token = token;
  }

  async send(call: Call, isAgain: boolean): Promise<Told> {
    const answer = await this.#run(call.path, { ...call, isAgain }).catch(() => undefined);
    if (answer === undefined) return undefined;
    if (answer.status !== 200) return 'refused';
    this.sequence = Math.max(this.sequence, sequenceOf(answer));
    return { seen: answer.json as number[][] };
  }

  async sendUntilDone(call: Call): Promise<DoneCall> {
    for (let tries = 0; tries < 10; tries++) {
      const told = await this.send(call, true);
      if (typeof told === 'object') return doneCall(call, told.seen);
    }
    throw new Error(`${call.parts[0]?.id} was never answered`);
  }

  async look(): Promise<Library & { readonly made: readonly string[] }> {
    const answer = await this.#run('look', {});
    expectOk(answer);
    this.sequence = Math.max(this.sequence, sequenceOf(answer));
    const { books, edges, made } = Object(answer.json);
    return { books: new Map(books), edges: new Set(edges), made };
  }

  /** In the middle: as soon as so many of the calls have been answered. */
  async meet(fate: Fate): Promise<void> {
    const { node } = this;
    if (fate === 'workers killed') killWorkers(node);
    if (fate === 'server killed') {
      await node.process.kill();
      await node.startPrimary();
    }
    if (fate === 'replica promoted') {
      await node.process.kill();
      await this.replica.process.stop();
      await this.replica.startPrimary();
      this.node = this.replica;
      this.replica = node;
    }
  }

  /** What the replica has not been sent would be lost with its primary. */
  async replicate(cluster: Cluster): Promise<void> {
    if (!this.replica.process.isRunning) {
      // It was the primary, and has another history.
      await this.replica.empty();
      await this.replica.startReplica(await cluster.link(this.node));
    }
    const headers = { 'x-msk-min-sequence': String(this.sequence) };
    const call = { path: '/api/schema', token: this.token, headers };
    await expect.poll(async () => (await this.replica.http.send(call)).status).toBe(200);
  }

  #run(path: string, body: object) {
    return this.node.http.send({ path: `/api/endpoints/run/${path}`, token: this.token, body });
  }
}

/** Is in the command of a process that runs code of endpoints. */
const KEEPER = 'worker-keeper';

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // It has ended.
    return '';
  }
}

function killWorkers({ process: server }: ClusterNode): void {
  const workers = processesBelow(server.pid).filter((pid) => commandOf(pid).includes(KEEPER));
  expect(workers).not.toEqual([]);
  for (const pid of workers) process.kill(pid, 'SIGKILL');
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
    ['nested', NESTED],
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

/** The calls of a round at once, and what befalls them; those that are not answered, again. */
async function runRound(
  workspace: Workspace,
  calls: readonly Call[],
  { fate, answered }: { readonly fate: Fate; readonly answered: number },
): Promise<{ done: DoneCall[]; told: readonly Told[]; doneAtOnce: readonly string[] }> {
  const answers = calls.map((call) => workspace.send(call, false));
  if (fate !== 'nothing') {
    await Promise.race([Promise.all(answers.slice(0, answered)), Promise.all(answers)]);
  }
  // The answers of a server that is gone come before another one is there.
  const [told] = await Promise.all([Promise.all(answers), workspace.meet(fate)]);
  const { made: doneAtOnce } = await workspace.look();
  const done: DoneCall[] = [];
  for (const [i, call] of calls.entries()) {
    const known = told[i];
    // A replica may lack what its primary has told its callers: they ask once more.
    const isKnown = typeof known === 'object' && fate !== 'replica promoted';
    done.push(isKnown ? doneCall(call, known.seen) : await workspace.sendUntilDone(call));
  }
  return { done, told, doneAtOnce };
}

test(
  'calls at once, cut off by kills and promotions and sent again, are as some order of them, and none is done twice',
  async () => {
    const random = seededRandom(seed());
    const rounds = scale({ sample: FATES.length + 1, soak: 20 * FATES.length });
    await using cluster = await Cluster.create();
    const { node: first, token } = await startPrimary(cluster);
    const second = await cluster.node('second');
    await second.startReplica(await cluster.link(first));
    const workspace = new Workspace(first, second, token);
    const ids: string[] = [];
    const unanswered = new Map<Fate, number>();
    for (let round = 0; round < rounds; round++) {
      const fate = FATES[round % FATES.length] ?? 'nothing';
      const before = await workspace.look();
      if (fate === 'replica promoted') await workspace.replicate(cluster);
      const calls = Array.from({ length: CALLS_AT_ONCE }, (_, i) =>
        drawCall(`${round}-${i}`, random),
      );
      const answered = Math.floor(random() * 3);
      const { done, told, doneAtOnce } = await runRound(workspace, calls, { fate, answered });
      for (const [i, { parts }] of calls.entries()) {
        const made = parts.map(({ id }) => doneAtOnce.includes(id));
        const isAnswered = typeof told[i] === 'object';
        if (!isAnswered) unanswered.set(fate, (unanswered.get(fate) ?? 0) + 1);
        // Of a call that is refused only what it has committed before is written, and what is
        // answered is there.
        if (told[i] === 'refused') expect(made.at(-1)).toBe(false);
        else if (isAnswered && fate !== 'replica promoted') expect(made).not.toContain(false);
        ids.push(...parts.map(({ id }) => id));
      }
      const after = await workspace.look();
      const both = [before, after].map((library) => textOf(library));
      expect(hasOrder(before, done, after), JSON.stringify([fate, both, done])).toBe(true);
      expect(after.made.toSorted()).toEqual(ids.toSorted());
    }
    expect(unanswered.get('server killed')).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);
