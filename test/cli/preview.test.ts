import { existsSync, readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { type BackedUpLibrary, makeBackup, startLibrary } from '../support/backups.ts';
import { runTrellis, type Outcome } from '../support/command-line.ts';
import { EchoServer } from '../support/echo-server.ts';
import { HttpClient } from '../support/http-client.ts';
import { RunningCommand } from '../support/running-command.ts';
import { ADMIN_PASSWORD, temporaryFolder } from '../support/trellis-process.ts';

/** `trellis preview`: a branch on a copy of a workspace that has all that reaches outside. */

const MASTER_KEY = 'a key of a test, and long enough for one';
/** Asks whoever the body names, with a secret. */
const ASKS = `// trellis: cron "* * * * * *"
// trellis: on created Book
export default async ({ body, fetch, secret }: Scope) => {
  const { url } = body as { url?: string };
  if (url === undefined) return fetch('${'__URL__'}/by-itself').then(({ status }) => status);
  return fetch(url, { headers: { authorization: secret('CRM_KEY') } }).then(({ status }) => status);
};`;
const BOOKS = `export default ({ q }: Scope) => q().startAt('Book').count();`;

let library: BackedUpLibrary;
let crm: EchoServer;
let home: Awaited<ReturnType<typeof temporaryFolder>>;
let folder: string;
let newest: string;

beforeAll(async () => {
  home = await temporaryFolder();
  crm = await EchoServer.start();
  library = await startLibrary({ MSK_GRAPH_MASTER_KEY: MASTER_KEY });
  const { client } = library;
  await client.workspace.putSettings({ fetchAllowList: [crm.url] });
  await client.secrets.put('CRM_KEY', { value: 'sk-of-production', hosts: [crm.host] });
  await client.aiProviders.put({
    chat: { provider: 'openai-compatible', baseUrl: crm.url, model: 'm', apiKey: 'llm-key' },
  });
  await client.webhooks.create({ name: 'hook', url: `${crm.url}/hook` });
  await client.endpoints.create({ name: 'asks', code: ASKS.replace('__URL__', crm.url) });
  await library.addBooks(Array.from({ length: 30 }, (_, at) => `Book ${at}`));
  const written = Array.from({ length: 20 }, (_, at) => [
    { op: 'addOrUpdate' as const, type: 'Author', key: `Author ${at}`, fields: {} },
    {
      op: 'link' as const,
      from: { type: 'Book', key: `Book ${at}` },
      edge: 'WrittenBy',
      to: { type: 'Author', key: `Author ${at}` },
    },
  ]).flat();
  await client.graph.ingest(written);
  newest = (await makeBackup(client)).id;
  // A preview asks nothing of what it is a copy of.
  await library.server.stop();
  crm.seen.length = 0;
  folder = join(home.path, 'branch');
  expect((await runTrellis(['init', folder], { home: home.path, server: '' })).code).toBe(0);
  const book = { type: 'Book', key: 'Isbn', fields: { Title: 'String' } };
  const schema = { nodes: [book, { type: 'Shelf', key: 'Label', fields: {} }], edges: [] };
  await writeFile(join(folder, 'schema.json'), JSON.stringify(schema));
  await writeFile(join(folder, 'endpoints/books-by.ts'), BOOKS);
  await mkdir(join(home.path, 'tmp'));
});
afterAll(async () => {
  await library[Symbol.asyncDispose]();
  await crm[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

const surroundings = () => ({
  HOME: home.path,
  TMPDIR: join(home.path, 'tmp'),
  MSK_GRAPH_MASTER_KEY: MASTER_KEY,
});
const preview = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runTrellis(['preview', folder, ...args], {
    home: home.path,
    server: '',
    env: { ...surroundings(), ...env },
  });
const backups = (): string[] => ['--from', library.backups];
const scratch = (): string[] =>
  readdirSync(join(home.path, 'tmp')).filter((name) => name.startsWith('trellis-preview-'));

async function started(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const running = new RunningCommand(['preview', folder, '--json', ...args], {
    ...surroundings(),
    ...env,
  });
  const { url, user, password, folder: place } = await running.event('ready');
  const http = new HttpClient(String(url));
  const token = await http.signIn(String(user), String(password));
  const client = new TrellisClient({ baseUrl: String(url), token, retry: { retriesMax: 0 } });
  return { running, url: String(url), client, http, place: String(place) };
}

describe('a preview of the newest backup', () => {
  test('has its data and users, and the endpoints of the branch; nothing reaches outside', async () => {
    const { running, client, http, place } = await started(backups());
    await using _running = running;
    expect(await client.endpoints.run('books-by', {})).toBe(30);
    expect(await http.signIn('admin', ADMIN_PASSWORD)).toBeTypeOf('string');

    const about = { url: `${crm.url}/` };
    await expect(client.endpoints.run('asks', about)).rejects.toThrow('may not reach');
    const chat = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] };
    const [user] = (await client.users.list()).items;
    const kind = 'llm-openai' as const;
    const { token } = await client.tokens.create({ kind, name: 'llm', actingUser: user!.UID });
    const asked = await http.send({
      path: '/api/llm/openai/v1/chat/completions',
      token,
      body: chat,
    });
    expect(asked.text).toContain('llm_not_configured');

    const [task] = (await client.tasks.list()).items;
    expect(task).toMatchObject({ endpoint: 'asks', enabled: true, nextRunAt: null });
    const before = (await client.tasks.listRuns(task!.name)).total;
    const operation = { op: 'addOrUpdate', type: 'Book', key: 'new', fields: {} } as const;
    await client.graph.ingest([operation]);
    const { id } = await client.tasks.run(task!.name);
    for await (const event of client.jobs.watch(id)) void event;
    expect((await client.tasks.listRuns(task!.name)).total).toBe(before + 1);
    expect(await client.triggers.list()).toEqual({ items: [] });
    expect((await client.backups.list()).target).toBeNull();
    const [webhook] = (await client.webhooks.list()).items;
    expect(await client.webhooks.test(webhook?.id ?? '')).toMatchObject({
      error: `A webhook may not reach ${crm.url}`,
    });
    expect(crm.seen).toEqual([]);

    expect(existsSync(place)).toBe(true);
    expect(await running.interrupt()).toBe(0);
    expect([existsSync(place), scratch()]).toEqual([false, []]);
  });

  test('reaches outside when that is asked for, with the secrets of the key', async () => {
    const { running, client } = await started([...backups(), '--open']);
    await using _running = running;
    expect(await client.endpoints.run('asks', { url: `${crm.url}/asked` })).toBe(200);
    expect(crm.seen).toMatchObject([
      { path: '/asked', headers: { authorization: 'sk-of-production' } },
    ]);
    crm.seen.length = 0;
    const [webhook] = (await client.webhooks.list()).items;
    const { id = '', url = '', position } = webhook ?? {};
    await client.webhooks.update(id, { name: 'hook', url });
    const operation = { op: 'addOrUpdate', type: 'Book', key: 'open', fields: {} } as const;
    await client.graph.ingest([operation]);
    expect(await client.webhooks.test(id)).toMatchObject({ status: 'delivered' });
    expect(await client.webhooks.get(id)).toMatchObject({ position });
    expect(crm.seen).toMatchObject([{ path: '/hook' }]);
    expect((await client.tasks.list()).items).toMatchObject([{ nextRunAt: null }]);
    expect(await client.triggers.list()).toEqual({ items: [] });
  });

  test('may be a sample of it: so many nodes of each type, with the edges between them', async () => {
    const { running, client } = await started([...backups(), '--sample', '5']);
    await using _running = running;
    expect(await client.endpoints.run('books-by', {})).toBe(5);
    const { items } = await client.nodes.query({ type: 'Author', take: 50 });
    expect(items).toHaveLength(5);
    const links = await Promise.all(items.map(({ UID }) => client.nodes.getRecord(UID)));
    // Each to the one book that it has.
    for (const { edges } of links) expect(edges).toMatchObject([{ count: 1 }, { count: 1 }]);
  });
});

describe('what ends a preview', () => {
  test('endpoints that do not compile: it shows the diagnostics', async () => {
    const wrong = join(folder, 'endpoints/wrong.ts');
    await writeFile(wrong, 'export default () =>\n  nothing;\n');
    const { code, stderr } = await preview([...backups(), '--check']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('endpoints/wrong.ts:2:3: ')]);
    await writeFile(wrong, 'export default () => 1;\n');
    const good = await preview(['--empty', '--check']);
    expect([good.code, good.stderr]).toEqual([0, expect.stringContaining('failed 0')]);
    expect(scratch()).toEqual([]);
  });

  test('the command that is to be run there', async () => {
    const run = `"${process.execPath}" -e 'fetch(process.env.TRELLIS_SERVER + "/api/endpoints/run/books-by", { method: "POST", headers: { authorization: "Bearer " + process.env.TRELLIS_TOKEN, "content-type": "application/json" }, body: "{}" }).then((one) => one.text()).then((text) => { console.log("there are " + text); process.exitCode = 7; })'`;
    const { code, stdout } = await preview([...backups(), '--run', run]);
    expect([code, stdout]).toEqual([7, 'there are 30\n']);
    expect(scratch()).toEqual([]);
  });

  test('a kill, after which its server stops and the next one clears up', async () => {
    const { running, url, place } = await started(backups());
    await running.interrupt('SIGKILL');
    expect(existsSync(place)).toBe(true);
    await mkdir(join(home.path, 'tmp/trellis-preview-unfinished/data'), { recursive: true });
    // One that is begun while the server is about to stop leaves its folder alone.
    const after = async () => [(await preview(['--empty', '--check'])).code, ...scratch()];
    await expect.poll(after).toEqual([0]);
    await expect(fetch(url)).rejects.toThrow('fetch failed');
    const next = await started(['--empty', '--keep']);
    await using _next = next.running;
    expect(scratch()).toEqual([next.place.split('/').at(-1)]);
    await next.running.interrupt();
    expect((await preview(['--empty', '--check'])).code).toBe(0);
    expect(scratch()).toEqual([next.place.split('/').at(-1)]);
  });
});

describe('a preview says what is wrong', () => {
  const why = (code: string) => ({ error: { code } });
  const json = ({ stderr }: Outcome) => JSON.parse(stderr.trim().split('\n').at(-1) ?? '');

  test('with the backups', async () => {
    expect((await preview([])).code).toBe(2);
    const nowhere = await preview(['--json', '--from', join(home.path, 'nowhere')]);
    expect([nowhere.code, json(nowhere)]).toMatchObject([1, why('backup_not_found')]);
    const env = { MSK_GRAPH_MASTER_KEY: 'another key of a test, and long enough' };
    const wrong = await preview(['--json', ...backups()], env);
    expect([wrong.code, json(wrong)]).toMatchObject([1, why('wrong_master_key')]);
    const at = await preview(['--json', ...backups(), '--at', newest.replace(/.$/, 'x')]);
    expect([at.code, json(at)]).toMatchObject([1, why('invalid_request')]);
  });

  test('with its options, and with the port', async () => {
    expect((await preview(['--empty', ...backups()])).code).toBe(2);
    for (const count of ['0', '-1', 'many', '1.5', '1000001']) {
      expect([count, (await preview([...backups(), '--sample', count])).code]).toEqual([count, 2]);
    }
    const port = crm.url.split(':').at(-1) ?? '';
    const taken = await preview(['--empty', '--port', port]);
    expect([taken.code, taken.stderr]).toEqual([1, expect.stringContaining('--port')]);
  });
});
