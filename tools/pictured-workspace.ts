import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { field, type HttpClient } from '../test/support/http-client.ts';
import { zipOf } from '../test/support/zip.ts';

/** What the pages of a workspace over the sample graph show: no page is empty. */
export interface PicturedWorkspace extends AsyncDisposable {
  /** UID of a word with many senses. */
  readonly word: string;
  /** UID of a synset with a file and a history. */
  readonly synset: string;
}

/** Where docs/webhooks.md has its receiver. */
const RECEIVER_PORT = 4_040;
const ORIGIN = `http://127.0.0.1:${RECEIVER_PORT}`;
/** Where nobody answers. */
const AWAY = 'http://127.0.0.1:4041';
const DATABASE = 'postgres://127.0.0.1:4042';
const MAIL = 'imaps://mail.example.com';
/** As the receiver has it at first, and then. */
const PRICES = ['Sku,Price\nA-100,18\nA-101,24\nB-200,7\n', 'Sku,Price\nA-100,19\nA-101,24\n'];
const TRACED_CODE = `export default async (scope: Scope<{ word: string }>) => {
  const { q, search, body, run, log, graph } = scope;
  const senses = await q().startWhere('Word', 'Lemma', '=', body.word)
    .out('Synset', 'HasSense')
    .nodes();
  const { hits } = await search({ query: body.word, types: ['Synset'], take: 5 });
  const looked = await run('lookup-word', { word: body.word });
  await graph.addOrUpdate('Lookup', body.word, { Count: senses.length });
  log.info('looked up', { word: body.word, senses: senses.length });
  return { senses: senses.length, mentions: hits.length, looked };
};
`;

/** Fills the workspace of a server that has just started with the sample graph. */
export async function pictureWorkspace(
  http: HttpClient,
  token: string,
): Promise<PicturedWorkspace> {
  const filling = new Filling(http, token);
  await filling.untilIndexed();
  await filling.schema();
  await filling.people();
  await filling.code();
  await filling.work();
  await filling.deployments();
  const word = await filling.uidOfWord('star');
  const receiver = await startReceiver();
  await filling.settings();
  await filling.webhooks();
  await filling.connectors();
  const synset = await filling.changedSynset();
  await filling.calls();
  await filling.untilDelivered();
  return {
    word,
    synset,
    async [Symbol.asyncDispose]() {
      receiver.closeAllConnections();
      receiver.close();
      await once(receiver, 'close');
    },
  };
}

class Filling {
  readonly #http: HttpClient;
  readonly #token: string;

  constructor(http: HttpClient, token: string) {
    this.#http = http;
    this.#token = token;
  }

  async untilIndexed(): Promise<void> {
    await until(async () => {
      const found = await this.#send('POST', '/api/cce/system/search', { query: 'trellis' });
      const index = await this.#send('GET', '/api/search/index');
      return Number(found['total']) > 0 && index['rebuild'] === null;
    });
  }

  /** The indexes of docs/indexes.md, and the type that an endpoint writes. */
  async schema(): Promise<void> {
    const indexes = [{ field: 'LexFile' }, { fields: ['LexFile', 'Name'] }];
    const lookup = { type: 'Lookup', key: 'Word', fields: { Count: 'Int' } };
    const nodes = [{ type: 'Synset', fields: {}, indexes }, lookup];
    await this.#send('PUT', '/api/schema', { nodes, edges: [] });
  }

  /** A few users, teams and tokens. */
  async people(): Promise<void> {
    const people = [
      ['ada', 'Ada', 'Lovelace', { roles: ['CanManageSynonyms'] }],
      ['grace', 'Grace', 'Hopper', { isReadOnlyAdmin: true }],
      ['alan', 'Alan', 'Turing', { isGuest: true }],
    ] as const;
    for (const [userName, firstName, lastName, traits] of people) {
      const email = `${userName}@example.com`;
      await this.#send('POST', '/api/users', { userName, email, firstName, lastName, ...traits });
    }
    const team = { name: 'Lexicographers', description: 'Edit the words' };
    await this.#send('PUT', '/api/groups/group', team);
    const ingestion = { kind: 'api', name: 'Nightly import', scopes: ['ingestion'] };
    await this.#send('POST', '/api/tokens', ingestion);
    const website = { kind: 'endpoint', name: 'Website', path: 'lookup-word' };
    await this.#send('POST', '/api/tokens', website);
    await this.#send(
      'PUT',
      '/api/search/synonyms/for?token=trellis&lang=en&ignoreCase=true&replace=true',
      { Synonyms: ['treillage', 'lattice'], Alternates: [], Blocked: [] },
    );
  }

  /** A module, secrets, an endpoint that changes run, and one that does a bit of everything. */
  async code(): Promise<void> {
    const secret = { value: 'a key of the pictures', hosts: ['crm.example.com'] };
    await this.#send('PUT', '/api/secrets/CRM_KEY', { ...secret, endpoints: ['words/changed'] });
    await this.#send('PUT', '/api/secrets/NEWS_TOKEN', { ...secret, hosts: ['news.example.com'] });
    const module = 'export const shortened = (text: string): string => text.slice(0, 80);\n';
    await this.#send('POST', '/api/modules/create', { name: 'texts', code: module });
    const code = `// trellis: on updated Synset
import { shortened } from '#lib/texts.ts';

export default async ({ body, log }: Scope<{ after: { Definition: string } }>) => {
  log.info(shortened(body.after.Definition));
};
`;
    await this.#send('POST', '/api/endpoints/create', { name: 'words/changed', code });
    const description = 'Meanings of a word, and what is written about it';
    const traced = { name: 'words/about', code: TRACED_CODE, description };
    await this.#send('POST', '/api/endpoints/create', traced);
  }

  /** Tasks that ran, a backup, and a migration. */
  async work(): Promise<void> {
    const add = (body: unknown) => this.#send('POST', '/api/admin/tasks', body);
    await add({ name: 'backup', cron: '30 2 * * *', builtIn: 'backup' });
    await add({ name: 'count', cron: '@hourly', endpoint: 'count-by-pos' });
    await add({ name: 'scrub', cron: '0 3 * * 0', builtIn: 'storage-scrub' });
    await this.#send('POST', '/api/admin/tasks/backup/run', {});
    await this.#send('POST', '/api/admin/tasks/count/run', {});
    const code = `export default async function ({ q, log }: Scope) {
  log.info('synsets', { count: await q().startAt('Synset').count() });
}
`;
    await this.#send('POST', '/api/migrations', { name: '001-count-synsets', code });
    await this.#send('POST', '/api/migrations/run', {});
    await until(async () => {
      // Asking for it has the server check what has no verdict yet.
      const status = await this.#send('GET', '/api/build/compile-status');
      const { items } = await this.#send('GET', '/api/jobs');
      const jobs: readonly { readonly state: string }[] = Object(items);
      const isBusy = jobs.some(({ state }) => state === 'queued' || state === 'running');
      return !isBusy && status['Pending'] === false;
    });
  }

  /** What a pipeline has pushed, twice. */
  async deployments(): Promise<void> {
    const deploy = { kind: 'automation', name: 'ci', scopes: ['deploy'] };
    const token = field(await this.#send('POST', '/api/tokens', deploy), 'token');
    const code = (take: number) =>
      `// trellis: readOnly
export default async ({ q }: Scope) => q().startAt('Word').take(${take}).nodes();
`;
    const first = { 'endpoints/words/first.ts': code(10) };
    const second = { ...first, 'endpoints/words/first.ts': code(20) };
    for (const files of [first, { ...second, 'endpoints/words/more.ts': code(100) }]) {
      const body = await zipOf({ 'manifest.json': '{"format": 1}', ...files });
      const { status, text } = await this.#http.send({
        path: '/api/graph/import-definitions',
        token,
        body,
        headers: { 'content-type': 'application/zip' },
      });
      if (status !== 200) throw new Error(`deploying: ${status} ${text}`);
    }
  }

  async settings(): Promise<void> {
    const fetchAllowList = [ORIGIN, AWAY, DATABASE, `${MAIL}:993`];
    await this.#send('PUT', '/api/workspace/settings', { fetchAllowList });
  }

  /** One that arrives, one whose receiver is not there, and one that somebody has switched off. */
  async webhooks(): Promise<void> {
    const add = (body: unknown) => this.#send('POST', '/api/webhooks', body);
    await add({ name: 'CRM', url: `${ORIGIN}/changes`, types: ['Synset', 'Word'] });
    await add({ name: 'Mirror', url: `${AWAY}/mirror`, types: ['Synset'], payload: 'ids' });
    const quiet = { actions: ['deleted'], enabled: false };
    await add({ name: 'Archive', url: `${ORIGIN}/archive`, ...quiet });
  }

  /** A table that has changed, a database that does not answer, and a mailbox that is new. */
  async connectors(): Promise<void> {
    const add = async (body: unknown): Promise<string> =>
      field(await this.#send('POST', '/api/connectors', body), 'id');
    const daily = { cron: '0 6 * * *', timeZone: 'Europe/Berlin' };
    const table = { kind: 'csv', url: `${ORIGIN}/prices.csv`, type: 'Price', key: 'Sku' };
    const prices = await add({ name: 'Prices', source: table, schedule: daily });
    for (const _ of PRICES) await this.#run(prices);
    const database = {
      kind: 'postgres',
      url: `${DATABASE}/shop`,
      tls: true,
      user: 'reader',
      query: 'SELECT * FROM orders',
      type: 'Order',
      key: 'id',
      changed: 'updated_at',
      team: null,
    };
    const orders = { name: 'Orders', source: database, secret: 'a password of the pictures' };
    await this.#run(await add({ ...orders, schedule: { ...daily, cron: '@hourly' } }));
    const mailbox = {
      kind: 'imap',
      url: MAIL,
      tls: true,
      user: 'support',
      owner: 'ada',
      folder: null,
      fileBytesMax: 1_000_000,
    };
    await add({ name: 'Mail to support', source: mailbox, secret: orders.secret });
  }

  async #run(connector: string): Promise<void> {
    await this.#send('POST', `/api/connectors/${connector}/run`, {});
    await until(async () => {
      const { jobId } = await this.#send('GET', `/api/connectors/${connector}`);
      return jobId === null;
    });
  }

  async untilDelivered(): Promise<void> {
    await until(async () => {
      const { items } = await this.#send('GET', '/api/webhooks');
      const hooks: readonly { readonly state: string; readonly lastDeliveredAt: string | null }[] =
        Object(items);
      return (
        hooks.some(({ lastDeliveredAt }) => lastDeliveredAt !== null) &&
        hooks.some(({ state }) => state === 'retrying')
      );
    });
  }

  async calls(): Promise<void> {
    // The first call starts what the next ones find warm.
    for (const word of ['dog', 'tree', 'star']) {
      await this.#send('POST', '/api/endpoints/run/words/about', { word });
    }
  }

  async changedSynset(): Promise<string> {
    const query = { query: 'domestic dog', types: ['Synset'], take: 1 };
    const found = await this.#send('POST', '/api/cce/system/search', query);
    const [{ node }] = Object(found['hits']);
    const { UID: uid, Id: key } = node;
    for (const Definition of [
      'a domestic animal that barks',
      'a domestic animal that barks, kept by people since prehistoric times',
    ]) {
      const operations = [{ op: 'update', type: 'Synset', key, fields: { Definition } }];
      await this.#send('POST', '/api/ingest', { operations });
    }
    const body = new FormData();
    body.set('file', new Blob(['Dogs come in many breeds.']), 'breeds.txt');
    const encoded = new Response(body);
    const { status, text } = await this.#http.send({
      method: 'POST',
      path: `/api/node/${uid}/files`,
      token: this.#token,
      body: await encoded.bytes(),
      headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
    });
    if (status >= 400) throw new Error(`adding a file: ${status} ${text}`);
    return uid;
  }

  async uidOfWord(lemma: string): Promise<string> {
    const body = { type: 'Word', keys: [lemma] };
    const { items } = await this.#send('POST', '/api/cce/system/nodes', body);
    return field(Object(items)[0], 'UID');
  }

  async #send(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Readonly<Record<string, unknown>>> {
    const answer = await this.#http.send({ method, path, token: this.#token, body });
    if (answer.status >= 400) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return Object(answer.json);
  }
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 200));
}

/** Takes webhooks, and has a table. */
async function startReceiver(): Promise<Server> {
  let looks = 0;
  const server = createServer((request, response) => {
    request.resume();
    if (request.method === 'GET') {
      response.end(PRICES[Math.min(looks++, PRICES.length - 1)]);
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"taken": true}');
  });
  server.listen(RECEIVER_PORT, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
