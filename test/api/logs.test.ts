import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { ADMIN_PASSWORD, temporaryFolder } from '../support/trellis-process.ts';
import { LIBRARY_SCHEMA, startWorkspace, type TestWorkspace } from '../support/workspace.ts';

const TODAY = /^trellis-\d{4}-\d\d-\d\d\.log$/;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let workspace: TestWorkspace;
let client: TrellisClient;
beforeAll(async () => {
  folder = await temporaryFolder();
  workspace = await startWorkspace({ MSK_LOG_PATH: folder.path });
  client = new TrellisClient({ baseUrl: workspace.server.url, token: workspace.token });
});
afterAll(async () => {
  await workspace[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** A request that is answered 404 is a record, with its path. */
const mark = (text: string) => workspace.http.send({ path: `/api/marks/${encodeURI(text)}` });
const send = (path: string) => workspace.http.send({ path, token: workspace.token });
const paths = async (query: string): Promise<unknown[]> =>
  (await client.logs.search({ query })).items.map(({ fields }) => fields['path']);

describe('log files', () => {
  test('are listed', async () => {
    await mark('listed');
    await expect.poll(async () => (await client.logs.listFiles()).items[0]?.to).toMatch(/Z$/);
    const { source, items } = await client.logs.listFiles();
    expect(source).toBe('files');
    expect(items.map(({ name }) => name)).toEqual([
      expect.stringMatching(TODAY),
      expect.stringMatching(/^replication\/replication-/),
    ]);
  });

  test('are searched, newest first', async () => {
    await mark('searched-1');
    await mark('searched-2');
    const both = ['/api/marks/searched-2', '/api/marks/searched-1'];
    await expect.poll(() => paths('SEARCHED')).toEqual(both);
    const page = await client.logs.search({ query: 'searched', level: 'info', skip: 1, take: 1 });
    expect(page).toMatchObject({ source: 'files', isComplete: true, total: 2, skip: 1, take: 1 });
    expect(page.items).toMatchObject([
      { level: 'info', message: `There is no GET ${both[1]}.`, fields: { path: both[1] } },
    ]);
    expect((await client.logs.search({ query: 'searched', level: 'warn' })).total).toBe(0);
    const over = new Date(Date.parse(page.items[0]!.at) + 60_000).toISOString();
    expect((await client.logs.search({ query: 'searched', from: over })).total).toBe(0);
  });

  test('are downloaded as one file, oldest first', async () => {
    await mark('downloaded-1');
    await mark('downloaded-2');
    await expect.poll(() => paths('downloaded-2')).toHaveLength(1);
    const { headers, text } = await send('/api/graph/logs-files/download?query=downloaded');
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="trellis.log"');
    const lines = text.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).path)).toEqual([
      '/api/marks/downloaded-1',
      '/api/marks/downloaded-2',
    ]);
    const { items } = await client.logs.listFiles();
    const [server, replication] = items.map(({ name }) => name);
    const of = async (...fileNames: string[]): Promise<string> =>
      new Response(await client.logs.download({ query: 'downloaded', fileNames })).text();
    expect(await of(server!, replication!)).toBe(text);
    expect(await of(replication!)).toBe('');
  });

  test.each([
    '../trellis-2026-11-20.log',
    'trellis-2026-11-20.log,../../etc/passwd',
    'replication/../trellis-2026-11-20.log',
    '/etc/passwd',
    '..%2Fstore.json',
    'trellis-2026-11-20.log%00',
    '',
  ])('of another name are refused: %s', async (names) => {
    const { status, json } = await send(`/api/graph/logs-files/download?fileNames=${names}`);
    const { code, details } = Object(json).error;
    expect([status, code]).toEqual([400, 'invalid_request']);
    expect(details.fields[0].message).toContain('must be names of log files');
  });

  test.each(['trellis-2020-01-01.log', 'trellis-2020-01-01.2.log'])(
    'that are not there are not found: %s',
    async (name) => {
      const { status, json } = await send(`/api/graph/logs-files/download?fileNames=${name}`);
      expect([status, Object(json).error.code]).toEqual([404, 'log_file_not_found']);
    },
  );
});

describe('records', () => {
  const refusal = async (path: string) => {
    const { status, json } = await send(path);
    const { code, details } = Object(json).error;
    return [status, code, details?.fields?.[0]?.path];
  };

  test('lead from the call of an endpoint to what it logged', async () => {
    const code = `export default async function ({ log }: Scope) {
      log.warn('seen by its request', { step: 1 });
      throw new Error('on purpose');
    }`;
    await client.endpoints.create({ name: 'logs/says', code });
    const { headers, status } = await workspace.http.send({
      method: 'POST',
      path: '/api/endpoints/run/logs/says',
      token: workspace.token,
    });
    expect(status).toBe(500);
    const traceId = headers.get('x-request-id')!;
    const found = async (filter: object) => (await client.logs.search(filter)).items;
    await expect.poll(() => found({ traceId })).toHaveLength(3);
    expect(await found({ traceId })).toMatchObject([
      { origin: 'server', fields: { endpoint: 'logs/says', traceId, status: 500 } },
      {
        origin: 'server',
        fields: { endpoint: 'logs/says', traceId },
        message: 'an endpoint failed',
      },
      {
        origin: 'endpoint',
        level: 'warn',
        message: 'seen by its request',
        fields: { endpoint: 'logs/says', traceId, data: { step: 1 } },
      },
    ]);
    expect(await found({ endpoint: 'logs/' })).toEqual(await found({ traceId }));
    expect(await found({ endpoint: 'logs/says', origin: 'endpoint' })).toHaveLength(1);
    expect(await found({ endpoint: 'logs' })).toEqual([]);
    expect((await client.build.listEndpointCalls('logs/says')).items).toMatchObject([{ traceId }]);
    const text = await new Response(await client.logs.download({ traceId, level: 'warn' })).text();
    expect(text.trimEnd().split('\n')).toHaveLength(2 + Number(text.includes('"status":500')));
  });

  test('lead from a job to what it logged', async () => {
    const schema = { method: 'PUT', path: '/api/schema', body: LIBRARY_SCHEMA };
    await workspace.http.send({ ...schema, token: workspace.token });
    const [job] = (await client.jobs.list({ kind: 'endpoint-recheck' })).items;
    const found = async () => (await client.logs.search({ job: job!.id })).items;
    await expect.poll(found).toMatchObject([
      { origin: 'job', level: 'info', fields: { job: job!.id, state: 'succeeded' } },
      { origin: 'job', level: 'info', fields: { job: job!.id, kind: 'endpoint-recheck' } },
    ]);
    const ofJobs = await client.logs.search({ origin: 'job' });
    expect(ofJobs.items).toEqual(expect.arrayContaining([...(await found())]));
  });

  test('are counted by time and level', async () => {
    await mark('counted-1');
    await mark('counted-2');
    await expect.poll(() => paths('counted')).toHaveLength(2);
    const found = await client.logs.count({ query: 'counted', spans: 3 });
    expect(found).toMatchObject({ source: 'files', isComplete: true, countedFrom: found.from });
    expect(found.spans).toHaveLength(3);
    expect(found.spans.reduce((sum, { counts }) => sum + counts.info, 0)).toBe(2);
    expect(found.spans.reduce((sum, { counts }) => sum + counts.warn, 0)).toBe(0);
  });

  test('come by pages that follow one another', async () => {
    for (const name of ['paged-1', 'paged-2', 'paged-3']) await mark(name);
    await expect.poll(() => paths('paged')).toHaveLength(3);
    const first = await client.logs.search({ query: 'paged', take: 2 });
    expect(first.items).toHaveLength(2);
    const cursor = first.nextCursor!;
    const second = await client.logs.search({ query: 'paged', take: 2, cursor });
    expect(second.items).toMatchObject([{ fields: { path: '/api/marks/paged-1' } }]);
    expect(second.nextCursor).toBeNull();
  });

  test.each([
    ['?from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z', 'to'],
    ['?from=2026-11-02T00:00:00Z&to=2026-11-02T00:00:00Z', 'to'],
    ['?from=yesterday', 'from'],
    ['?origin=elsewhere', 'origin'],
    ['?level=loud', 'level'],
    ['?endpoint=', 'endpoint'],
    [`?job=${'x'.repeat(101)}`, 'job'],
    [`?traceId=${'x'.repeat(1_001)}`, 'traceId'],
  ])('are not asked for by what is none: %s', async (query, path) => {
    for (const operation of ['', '/counts']) {
      const answer = await refusal(`/api/graph/logs${operation}${query}`);
      expect(answer).toEqual([400, 'invalid_request', path]);
    }
    const answer = await refusal(`/api/graph/logs-files/download${query}`);
    expect(answer).toEqual([400, 'invalid_request', path]);
  });

  test.each([
    ['/counts?spans=0', 'spans'],
    ['/counts?spans=241', 'spans'],
    ['?cursor=1', 'cursor'],
    ['?cursor=x-1', 'cursor'],
    ['?cursor=1234567890123456-1', 'cursor'],
  ])('have bounds: %s', async (query, path) => {
    expect(await refusal(`/api/graph/logs${query}`)).toEqual([400, 'invalid_request', path]);
  });

  test('are counted into as many spans as are allowed', async () => {
    expect((await client.logs.count({ spans: 240 })).spans.length).toBeLessThanOrEqual(240);
    expect((await client.logs.search({ cursor: '999999999999999-0' })).items).not.toEqual([]);
  });
});

test('a secret is in no record, and is not found', async () => {
  const planted = JSON.stringify(`planted: ${ADMIN_PASSWORD}, ${workspace.token}`);
  const code = `export default async function () { throw new Error(${planted}); }`;
  await client.endpoints.create({ name: 'plants', code });
  await expect(client.endpoints.run('plants')).rejects.toMatchObject({ code: 'endpoint_failed' });
  const found = () => client.logs.search({ query: 'planted' });
  await expect.poll(async () => (await found()).total).toBeGreaterThan(0);
  expect(JSON.stringify((await found()).items)).toContain('planted: [redacted], [redacted]');
  const all = await new Response(await client.logs.download()).text();
  for (const secret of [ADMIN_PASSWORD, workspace.token]) {
    expect(all).not.toContain(secret);
    expect((await client.logs.search({ query: secret.slice(0, 900) })).total).toBe(0);
  }
});

test('records are watched as they come', async () => {
  const stop = new AbortController();
  const events = client.logs.watch({ query: 'marks/watched' }, { signal: stop.signal });
  const next = events.next();
  for (;;) {
    await mark('watched');
    if (await Promise.race([next.then(() => true), mark('x').then(() => false)])) break;
  }
  expect((await next).value).toMatchObject({
    kind: 'line',
    line: { level: 'info', fields: { path: '/api/marks/watched' } },
  });
  const waiting = events.next();
  stop.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
});
