import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { makeBackup, restore } from '../support/backups.ts';
import { EchoServer } from '../support/echo-server.ts';
import { encodedForms } from '../support/encoded-forms.ts';
import { HttpClient, valueAt } from '../support/http-client.ts';
import { OtlpReceiver } from '../support/otlp/otlp-receiver.ts';
import { processesBelow, textsInMemory } from '../support/process-memory.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';

// Each way to write them is another text.
const VALUE = 'a "secret" that\\stays where it is/8f+9z&?';
const FORMER = 'the "value" that\\it had/before+that one';
const FORMS = [VALUE, FORMER].flatMap(encodedForms);
/** Stands in the code of the endpoint, and so in the memory of whatever runs it. */
const MARKER = 'a-text-that-the-worker-has-in-its-code';
const JWT_KEY = 'a key that signs tokens and seals secrets';

async function filesWith(folder: string, texts: readonly string[]): Promise<string[]> {
  const needles = texts.map((text) => Buffer.from(text));
  const found: string[] = [];
  for (const name of await readdir(folder, { recursive: true })) {
    const path = join(folder, name);
    if (!(await stat(path)).isFile()) continue;
    const bytes = await readFile(path);
    if (needles.some((needle) => bytes.includes(needle))) found.push(name);
  }
  return found;
}

/** A workspace whose endpoint sends a secret to a server that tells it everything. */
async function startSending(env: Readonly<Record<string, string>>) {
  await using opened = new AsyncDisposableStack();
  const { path: folder } = opened.use(await temporaryFolder());
  const echo = opened.use(await EchoServer.start());
  const storage = join(folder, 'data');
  const options = {
    storage,
    env: {
      MSK_LOG_PATH: join(folder, 'logs'),
      MSK_LOG_LEVEL: 'trace',
      MSK_GRAPH_BACKUP_FOLDER: join(folder, 'backups'),
      ...env,
    },
  };
  const server = opened.use(await TrellisProcess.start(options));
  const http = new HttpClient(server.url);
  const token = await http.signIn();
  const client = new TrellisClient({ baseUrl: server.url, token });
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await http.send({ method, path, token, body });
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
    return answer;
  };
  await send('PUT', '/api/workspace/settings', { fetchAllowList: [echo.url] });
  for (const value of [FORMER, VALUE]) {
    await send('PUT', '/api/secrets/CRM_KEY', { value, hosts: [echo.host] });
  }
  // What is answered stays in the memory of the worker, in a variable of the module.
  const code = `const kept: unknown[] = ['${MARKER}'];
export default async ({ body, fetch, secret, log, graph, run }: Scope<{ url: string }>) => {
  const headers = { authorization: secret('CRM_KEY', 'Bearer {}'), 'x-api-key': secret('CRM_KEY') };
  const answer = await fetch(body.url, { headers });
  const text = await answer.text();
  kept.push(text);
  log.info(text, { headers });
  await run('keeps', { text });
  await graph.addOrUpdate('Answer', 'a', { Text: text });
  return { text, kept: kept.length };
};`;
  const schema = {
    nodes: [{ type: 'Answer', key: 'Name', fields: { Text: 'String' } }],
    edges: [],
  };
  await send('PUT', '/api/schema', schema);
  // The bodies that it is called with are recorded.
  const keeps = 'export default ({ body }: Scope<unknown>) => body !== null;';
  await send('POST', '/api/endpoints/create', { name: 'keeps', code: keeps });
  await send('PUT', '/api/code/history/inputs/endpoint/keeps', { keep: 5 });
  await send('POST', '/api/endpoints/create', { name: 'sends', code });
  const run = () => send('POST', '/api/endpoints/run/sends', { url: echo.url });
  const resources = opened.move();
  return {
    folder,
    echo,
    options,
    server,
    client,
    send,
    run,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

test('the value of a secret is in no memory of workers, no file, no history, no definition and no backup', async () => {
  await using receiver = await OtlpReceiver.start();
  const traced = { MSK_JWT_KEY: JWT_KEY, MSK_REPLICATION_PORT: '0', MSK_ENDPOINT_TRACES: '1' };
  await using sending = await startSending({ ...traced, ...receiver.env });
  const { folder, echo, options, server, client, send, run } = sending;
  for (let i = 0; i < 5; i++) {
    const answer = await run();
    expect(valueAt(answer.json, 'text')).toContain('Bearer [secret CRM_KEY]');
    expect(answer.text).not.toContain(VALUE);
  }
  expect(echo.seen.at(-1)?.headers).toMatchObject({
    authorization: `Bearer ${VALUE}`,
    'x-api-key': VALUE,
  });
  const pid = server.process.pid!;
  const inMemory = processesBelow(pid).map((below) => textsInMemory(below, [...FORMS, MARKER]));
  const all = new Set(inMemory.flatMap((texts) => [...texts]));
  expect([...all]).toEqual([MARKER]);

  await makeBackup(client);
  const zip = await client.definitions.export();
  const exported = Buffer.from(await new Response(zip).arrayBuffer());
  expect(FORMS.filter((form) => exported.includes(form))).toEqual([]);
  const calls = await send('GET', '/api/build/endpoint-calls/sends');
  const trace = valueAt(calls.json, 'items', '0', 'trace');
  const recorded = await send('GET', '/api/code/history/inputs/endpoint/keeps');
  expect(recorded.text).toContain('[secret CRM_KEY]');
  for (const path of [
    `/api/build/call-traces/${String(trace)}`,
    '/api/code/history/inputs/endpoint/keeps',
    '/api/build/endpoint-calls/keeps',
    '/api/secrets',
    '/api/audit?take=1000',
    '/api/code/history/all',
    '/api/endpoints/sends',
    '/api/endpoints/logs?take=1000',
    '/api/graph/logs?take=500',
    '/api/workspace/settings',
  ]) {
    const { text } = await send('GET', path);
    expect([path, FORMS.filter((form) => text.includes(form))]).toEqual([path, []]);
  }
  expect(await server.stop()).toBe(0);
  expect(FORMS.filter((form) => server.stderr.includes(form))).toEqual([]);
  expect(receiver.text).toContain('endpoint sends');
  expect(FORMS.filter((form) => receiver.text.includes(form))).toEqual([]);
  expect(await filesWith(folder, [MARKER])).not.toEqual([]);
  expect(await filesWith(folder, FORMS)).toEqual([]);

  // With the key that signs tokens it is there again, in a restored workspace too.
  const restored = join(folder, 'restored');
  expect((await restore([join(folder, 'backups'), '--to', restored])).code).toBe(0);
  expect(await filesWith(restored, FORMS)).toEqual([]);
  expect(await standing(restored, options.env)).toEqual({
    isReadable: true,
    refusal: undefined,
  });
  expect(await standing(restored, {})).toEqual({
    isReadable: false,
    refusal: 'cannot be opened',
  });

  async function standing(storage: string, env: Readonly<Record<string, string>>) {
    await using again = await TrellisProcess.start({ storage, env });
    const http = new HttpClient(again.url);
    const token = await http.signIn();
    const list = await http.send({ path: '/api/secrets', token });
    const body = { url: echo.url };
    const ran = await http.send({ path: '/api/endpoints/run/sends', token, body });
    return {
      isReadable: valueAt(list.json, 'items', '0', 'isReadable'),
      refusal: ran.text.match(/cannot be opened/)?.[0],
    };
  }
});

test('a workspace that makes its own keys seals secrets, too, and keeps them over a restart', async () => {
  await using sending = await startSending({});
  const { folder, options, server, client, send, run } = sending;
  await run();
  await makeBackup(client);
  expect(Object((await send('GET', '/api/secrets')).json).items).toMatchObject([
    { isReadable: true, lastUsedAt: expect.any(String) },
  ]);
  expect(await server.stop()).toBe(0);
  expect(await filesWith(folder, FORMS)).toEqual([]);
  await using again = await TrellisProcess.start(options);
  const http = new HttpClient(again.url);
  const token = await http.signIn();
  const list = await http.send({ path: '/api/secrets', token });
  expect(Object(list.json).items).toMatchObject([
    { isReadable: true, lastUsedAt: expect.any(String) },
  ]);
});
