import { execFileSync } from 'node:child_process';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { nodeUid } from '@trellis/client/uid.ts';
import { makeBackup, restore, verified } from '../support/backups.ts';
import { runTrellis } from '../support/command-line.ts';
import { EmbeddingServer } from '../support/embedding-server.ts';
import { HttpClient, valueAt } from '../support/http-client.ts';
import { expectVerified } from '../support/indexed-books.ts';
import { untilEmbedded } from '../support/search-index.ts';
import { TrellisProcess } from '../support/trellis-process.ts';
import { Cluster, type ClusterNode } from './cluster.ts';

const STORES = join(import.meta.dirname, '../upgrade/stores');
const TIMEOUT = { timeout: 180_000 };

const RENAMES = [
  { rename: { type: 'Book', to: 'Work' } },
  { rename: { type: 'Work', field: 'Title', to: 'Name' } },
  { rename: { type: 'Work', field: 'Isbn', to: 'Number' } },
  { rename: { type: 'Work', field: 'Pages', to: 'Leaves' } },
  { rename: { edge: 'Wrote', to: 'Made' } },
  { rename: { edge: 'WrittenBy', to: 'By' } },
];

const BEFORE = { type: 'Book', key: 'Isbn', title: 'Title', pages: 'Pages', edge: 'Wrote' };
const AFTER = { type: 'Work', key: 'Number', title: 'Name', pages: 'Leaves', edge: 'Made' };
type Names = typeof BEFORE;

const MADE_BY = `// trellis: readOnly
interface Asked { type: string; pages: string; edge: string }
export default async ({ body, q }: Scope<Asked>) => ({
  made: (await q().startAt('Author', 'Jane Austen').out(body.type as 'Book', body.edge as 'Wrote').uids()).toSorted(),
  long: await q().startWhere(body.type as 'Book', body.pages as 'Pages', '>', 200).uids(),
});
`;

/** Sends to one server as its administrator. */
class Administrator {
  readonly #http: HttpClient;
  readonly token: string;

  constructor(http: HttpClient, token: string) {
    this.#http = http;
    this.token = token;
  }

  static async of(http: HttpClient): Promise<Administrator> {
    return new Administrator(http, await http.signIn());
  }

  at(http: HttpClient): Administrator {
    return new Administrator(http, this.token);
  }

  get http(): HttpClient {
    return this.#http;
  }

  async ok(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await this.#http.send({ method, path, body, token: this.token });
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.json;
  }

  /** What is read by these names. */
  async reads({ type, title, pages, edge }: Names): Promise<unknown> {
    const path = '/api/endpoints/run/system/search';
    const request = { query: 'emma', types: [type], fields: [title] };
    const found = await this.ok('POST', path, request);
    const near = await this.ok('POST', path, { ...request, mode: 'vector' });
    const hits = (answer: unknown) =>
      (valueAt(answer, 'hits') as { node: { UID: string } }[]).map(({ node }) => node.UID);
    return {
      nodes: await this.ok('POST', '/api/node/query', { type }),
      run: await this.ok('POST', '/api/endpoints/run/made-by', { type, pages, edge }),
      found: hits(found),
      near: hits(near),
    };
  }

  async schema(): Promise<unknown> {
    const schema = await this.ok('GET', '/api/schema');
    return [
      valueAt(schema, 'nodes', '0', 'type'),
      valueAt(schema, 'nodes', '0', 'key'),
      valueAt(schema, 'nodes', '0', 'label'),
    ];
  }
}

/** All that is read, by the names of now and by former ones. */
async function readByBoth(admin: Administrator): Promise<unknown> {
  await untilEmbedded(admin.http, admin.token);
  const now = await admin.reads(AFTER);
  expect(await admin.reads(BEFORE)).toEqual(now);
  expect(await admin.schema()).toEqual(['Work', 'Number', 'Name']);
  return now;
}

test.each([
  { archive: '26.11.0-before-history.tar.gz', env: {}, hasReplica: true },
  {
    archive: '26.11.0-before-history-encrypted.tar.gz',
    env: { MSK_GRAPH_MASTER_KEY: 'the key of kept stores' },
    // Its key is shorter than what a new replica takes.
    hasReplica: false,
  },
])('what an earlier version wrote ($archive) follows a rename', TIMEOUT, async (given) => {
  const { archive, hasReplica } = given;
  await using embeddings = await EmbeddingServer.start();
  await using cluster = await Cluster.create();
  const primary = await cluster.node('primary');
  execFileSync('tar', ['-xzf', join(STORES, archive), '-C', cluster.folder]);
  await rename(join(cluster.folder, 'store'), primary.storage);
  const backups = join(cluster.folder, 'backups');
  const env = { ...given.env, MSK_GRAPH_BACKUP_FOLDER: backups };
  await primary.startPrimary(env);
  const admin = await Administrator.of(primary.http);
  await prepare(admin, embeddings.url);
  const replicas: ClusterNode[] = [];
  const joinsAs = async (name: string): Promise<void> => {
    if (!hasReplica) return;
    const replica = await cluster.node(name);
    await replica.startReplica(await cluster.link(primary));
    replicas.push(replica);
  };
  await joinsAs('early');
  await untilEmbedded(admin.http, admin.token);
  const former = await admin.reads(BEFORE);
  expect(former).toMatchObject({ nodes: { total: 3 }, found: [nodeUid('Book', 'b1')] });
  const hook = { name: 'links', url: `${embeddings.url}/hook`, edges: ['WrittenBy'] };
  await admin.ok('POST', '/api/webhooks', hook);
  const asked = embeddings.requests.length;

  await admin.ok('POST', '/api/schema/changes', { changes: RENAMES, force: true });
  await primary.process.kill();
  await primary.startPrimary(env);
  const now = await readByBoth(admin);
  expect(now).toMatchObject({
    run: valueAt(former, 'run'),
    found: valueAt(former, 'found'),
    near: valueAt(former, 'near'),
  });
  // Their vectors are those of before; only the searches asked for some.
  const texts = embeddings.requests.slice(asked).flatMap(({ input }) => input);
  expect(new Set(texts)).toEqual(new Set(['emma']));

  // Webhooks follow after the commit. Without the former name nothing would tell them any more.
  await admin.ok('DELETE', '/api/schema/aliases', { edge: 'By', alias: 'WrittenBy' });
  expect(await admin.ok('GET', '/api/webhooks')).toMatchObject({ items: [{ edges: ['By'] }] });

  await joinsAs('late');
  for (const replica of replicas) {
    await expect.poll(() => admin.at(replica.http).schema()).toEqual(['Work', 'Number', 'Name']);
    expect(await readByBoth(admin.at(replica.http))).toEqual(now);
  }
  const client = new TrellisClient({ baseUrl: primary.address, token: admin.token });
  const { id } = await makeBackup(client);
  expect(await verified(client, id)).toMatchObject({ state: 'succeeded' });

  // A node that was added after the rename has the UID that its first name gives it.
  const added = { op: 'addOrUpdate', type: 'Work', key: 'b9', fields: { Name: 'Persuasion' } };
  await admin.ok('POST', '/api/ingest', { operations: [added] });
  await admin.ok('GET', `/api/node/${nodeUid('Book', 'b9')}`);
  // The way back is everywhere, too.
  await undoLast(admin);
  const ahead = valueAt(await admin.reads(BEFORE), 'nodes');
  for (const replica of replicas) {
    const there = admin.at(replica.http);
    await expect.poll(() => there.schema()).toEqual(['Book', 'Isbn', 'Title']);
    expect(valueAt(await there.reads(BEFORE), 'nodes')).toEqual(ahead);
  }
  await Promise.all(replicas.map((replica) => replica.process.stop()));
  await primary.process.stop();
  await expectVerified(primary.storage, { masterKey: given.env.MSK_GRAPH_MASTER_KEY ?? '' });

  const restored = join(cluster.folder, 'restored');
  const { code, stderr } = await restore([backups, '--to', restored], given.env);
  expect(code, stderr).toBe(0);
  const key = hasReplica ? '' : await rotated(restored, given.env.MSK_GRAPH_MASTER_KEY ?? '');
  {
    await using server = await TrellisProcess.start({
      storage: restored,
      env: { MSK_GRAPH_MASTER_KEY: key },
    });
    const again = await Administrator.of(new HttpClient(server.url));
    expect(await readByBoth(again)).toEqual(now);
    await undoLast(again);
    expect(await again.reads(BEFORE)).toMatchObject({ nodes: valueAt(former, 'nodes') });
    expect(await server.stop()).toBe(0);
  }
  await expectVerified(restored, { masterKey: key });
});

async function undoLast(admin: Administrator): Promise<void> {
  const changes = await admin.ok('GET', '/api/schema/changes');
  const [change] = valueAt(changes, 'items') as { id: string }[];
  await admin.ok('POST', `/api/schema/changes/${change?.id}/undo`);
}

/** The key of the kept store is shorter than what a new folder takes: gives it another one. */
async function rotated(storage: string, from: string): Promise<string> {
  const to = 'a master key that is long enough for a new folder';
  const env = {
    MSK_GRAPH_STORAGE: storage,
    MSK_GRAPH_MASTER_KEY: from,
    TRELLIS_NEW_MASTER_KEY: to,
  };
  const { code, stderr } = await runTrellis(['storage', 'rotate-key'], {
    home: storage,
    server: '',
    env,
  });
  expect(code, stderr).toBe(0);
  return to;
}

/** What the kept store lacks: an index, vectors, and an endpoint that takes any names. */
async function prepare(admin: Administrator, embeddings: string): Promise<void> {
  const indexed = { type: 'Book', fields: {}, indexes: [{ field: 'Pages' }] };
  await admin.ok('PUT', '/api/schema', { nodes: [indexed], edges: [] });
  const Title = { text: {}, vector: { model: 'words' } };
  await admin.ok('PUT', '/api/search/settings', {
    types: { Book: { language: 'en', fields: { Title } } },
  });
  const server = {
    provider: 'openai-compatible',
    baseUrl: embeddings,
    model: 'words',
    apiKey: 'k',
  };
  const { origin } = new URL(embeddings);
  await admin.ok('PUT', '/api/workspace/settings', { fetchAllowList: [origin] });
  await admin.ok('PUT', '/api/chatai/providers', { embeddings: server });
  await admin.ok('POST', '/api/endpoints/create', {
    name: 'made-by',
    code: MADE_BY,
    isReadOnly: true,
  });
  await expect
    .poll(async () => valueAt(await admin.ok('GET', '/api/schema'), 'nodes', '0', 'indexes', '0'))
    .toMatchObject({ state: 'ready' });
}
