import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { makeBackup, restore, verified } from '../support/backups.ts';
import { HttpClient, valueAt } from '../support/http-client.ts';
import { expectVerified } from '../support/indexed-books.ts';
import { scale, seed } from '../support/scale.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { TrellisProcess } from '../support/trellis-process.ts';
import { Cluster } from './cluster.ts';

const TIMEOUT = { timeout: 600_000 };
const MASTER_KEY = 'a master key of servers that drop their types';
const KILLS = scale({ sample: 3, soak: 30 });
/** Requests that are answered between a change and the kill: at most. */
const TURNS_MAX = 12;

const SCHEMA = {
  nodes: [
    {
      type: 'Word',
      key: 'Lemma',
      fields: { Text: 'String', Score: 'String', Secret: 'String' },
      indexes: [{ field: 'Score' }],
    },
    { type: 'Note', key: 'Name', fields: { Body: 'String' } },
  ],
  edges: [
    { type: 'Means', inverse: 'MeantBy' },
    { type: 'MeantBy', inverse: 'Means' },
    { type: 'About', fields: { Weight: 'Int' } },
  ],
};

/** One commit of all that takes something away: a node type, an edge type, fields, a field type. */
const CHANGES = [
  { drop: { type: 'Note' } },
  { drop: { edge: 'Means' } },
  { drop: { type: 'Word', field: 'Secret' } },
  { retype: { type: 'Word', field: 'Score', to: 'Int' } },
];

/** What one server shows an administrator. */
class Shown {
  readonly #http: HttpClient;
  readonly #token: string;

  constructor(http: HttpClient, token: string) {
    this.#http = http;
    this.#token = token;
  }

  async ok(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await this.#http.send({ method, path, body, token: this.#token });
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.json;
  }

  /** All nodes and edges, with who may see them, and the schema. */
  async all(): Promise<readonly string[]> {
    const path = '/api/graph/export?format=jsonl';
    const answer = await this.#http.send({ method: 'POST', path, body: {}, token: this.#token });
    expect(answer.status, answer.text).toBe(200);
    // The schema comes once more when an index gets ready meanwhile.
    return [...new Set(answer.text.trim().split('\n'))].toSorted();
  }

  /** Ids of the changes that are in force, the newest first. */
  async changes(): Promise<readonly string[]> {
    const items = valueAt(await this.ok('GET', '/api/schema/changes'), 'items');
    return (items as { id: string; undoes: unknown; undoneBy: unknown }[]).flatMap((one) =>
      one.undoes === null && one.undoneBy === null ? [one.id] : [],
    );
  }

  /** A change of a field has its index built again. */
  async untilIndexed(): Promise<void> {
    await expect
      .poll(async () => valueAt(await this.ok('GET', '/api/schema'), 'nodes', '0', 'indexes', '0'))
      .toMatchObject({ field: 'Score', state: 'ready' });
  }

  change(): Promise<unknown> {
    return this.ok('POST', '/api/schema/changes', { changes: CHANGES, force: true });
  }

  undo(id: string | undefined): Promise<unknown> {
    return this.ok('POST', `/api/schema/changes/${id}/undo`);
  }
}

async function fill(admin: Shown): Promise<void> {
  await admin.ok('PUT', '/api/schema', SCHEMA);
  const word = (key: string) => ({ type: 'Word', key });
  await admin.ok('POST', '/api/ingest', {
    operations: [
      ...['a', 'b', 'c'].map((key, i) => ({
        op: 'addOrUpdate',
        ...word(key),
        fields: { Text: `word ${key}`, Score: i === 2 ? 'none' : String(i), Secret: 'hush' },
      })),
      { op: 'addOrUpdate', type: 'Note', key: 'n', fields: { Body: 'a note' } },
      { op: 'link', from: word('a'), edge: 'Means', to: word('b') },
      {
        op: 'link',
        from: { type: 'Note', key: 'n' },
        edge: 'About',
        to: word('a'),
        fields: { Weight: 3 },
      },
    ],
  });
  await admin.untilIndexed();
}

test(
  'what is dropped or retyped is so everywhere or nowhere, and comes back',
  TIMEOUT,
  async () => {
    await using cluster = await Cluster.create({ MSK_GRAPH_MASTER_KEY: MASTER_KEY });
    const backups = join(cluster.folder, 'backups');
    const env = { MSK_GRAPH_BACKUP_FOLDER: backups };
    const primary = await cluster.node('primary');
    await primary.startPrimary(env);
    const token = await primary.http.signIn();
    const admin = new Shown(primary.http, token);
    await fill(admin);
    const early = await cluster.node('early');
    await early.startReplica(await cluster.link(primary));
    const whole = await admin.all();
    await admin.change();
    const taken = await admin.all();
    const text = taken.join('\n');
    expect(text).not.toMatch(/hush|a note|Means|MeantBy|Note/);
    expect(text).toMatch(/"Score":1/);
    await admin.undo((await admin.changes())[0]);
    expect(await admin.all()).toEqual(whole);

    const random = seededRandom(seed());
    const killedDuring = async (work: Promise<unknown>): Promise<void> => {
      // Nobody waits for it, and the kill comes wherever it is: the server may have answered.
      const done = work.catch(() => undefined);
      const turns = Math.floor(random() * TURNS_MAX);
      for (let turn = 0; turn < turns; turn++) await primary.http.send({ path: '/health' });
      await primary.process.kill();
      await done;
      await primary.startPrimary(env);
    };
    for (let kill = 0; kill < KILLS; kill++) {
      await killedDuring(admin.change());
      const [made] = await admin.changes();
      expect(await admin.all()).toEqual(made === undefined ? whole : taken);
      if (made === undefined) await admin.change();
      const [id] = await admin.changes();
      await killedDuring(admin.undo(id));
      const [left] = await admin.changes();
      expect(await admin.all()).toEqual(left === undefined ? whole : taken);
      if (left !== undefined) await admin.undo(left);
      expect(await admin.all()).toEqual(whole);
    }

    await admin.change();
    const late = await cluster.node('late');
    await late.startReplica(await cluster.link(primary));
    for (const replica of [early, late]) {
      await expect.poll(() => new Shown(replica.http, token).all()).toEqual(taken);
      expect(await new Shown(replica.http, token).changes()).toEqual(await admin.changes());
    }
    const client = new TrellisClient({ baseUrl: primary.address, token });
    const { id } = await makeBackup(client);
    expect(await verified(client, id)).toMatchObject({ state: 'succeeded' });
    await admin.undo((await admin.changes())[0]);
    for (const replica of [early, late]) {
      await expect.poll(() => new Shown(replica.http, token).all()).toEqual(whole);
      expect(await replica.process.stop()).toMatchObject({ code: 0 });
      await expectVerified(replica.storage, { masterKey: MASTER_KEY });
    }
    expect(await primary.process.stop()).toMatchObject({ code: 0 });
    await expectVerified(primary.storage, { masterKey: MASTER_KEY });

    const restored = join(cluster.folder, 'restored');
    const key = { MSK_GRAPH_MASTER_KEY: MASTER_KEY };
    const { code, stderr } = await restore([backups, '--to', restored], key);
    expect(code, stderr).toBe(0);
    {
      await using server = await TrellisProcess.start({ storage: restored, env: key });
      const http = new HttpClient(server.url);
      const again = new Shown(http, await http.signIn());
      expect(await again.all()).toEqual(taken);
      await again.undo((await again.changes())[0]);
      expect(await again.all()).toEqual(whole);
      expect(await server.stop()).toBe(0);
    }
    await expectVerified(restored, { masterKey: MASTER_KEY });
  },
);
