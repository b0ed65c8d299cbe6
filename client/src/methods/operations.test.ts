import { describe, expect, it } from 'vitest';
import { listen, scripted } from '../testing/scripted-server.ts';
import { TrellisClient } from '../trellis-client.ts';

it('the overview and the license are those of the server that was asked for', async () => {
  const overview = { nodes: 1, samples: [] };
  const license = { licensed: false, features: [], valid: false };
  const { client, seen } = await scripted([{ body: overview }, { body: license }]);
  expect(await client.stats.getOverview()).toEqual(overview);
  expect(await client.workspace.getLicense()).toEqual(license);
  expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /api/graph/stats/overview',
    'GET /api/license',
  ]);
});

it('backups are made, listed, verified and deleted', async () => {
  const job = { id: '7', kind: 'backup' };
  const page = { items: [], total: 0, skip: 0, take: 5, target: null };
  const { client, seen } = await scripted([
    { status: 202, body: job },
    { body: page },
    { status: 202, body: job },
    { status: 204 },
  ]);
  expect(await client.backups.run()).toEqual(job);
  expect(await client.backups.list({ take: 5 })).toEqual(page);
  expect(await client.backups.verify('a b')).toEqual(job);
  await client.backups.delete('a b');
  expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /api/admin/backup/run',
    'GET /api/admin/backups?take=5',
    'POST /api/admin/backups/a%20b/verify',
    'DELETE /api/admin/backups/a%20b',
  ]);
});

describe('jobs', () => {
  it('are listed, read and cancelled', async () => {
    const job = { id: 'a b', state: 'running' };
    const { client, seen } = await scripted([
      { body: { items: [job] } },
      { body: job },
      { status: 202, body: job },
    ]);
    const page = await client.jobs.list({ state: 'running', kind: 'index-rebuild', take: 5 });
    expect(page.items).toEqual([job]);
    expect(await client.jobs.get('a b')).toEqual(job);
    expect(await client.jobs.cancel('a b')).toEqual(job);
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /api/jobs?state=running&kind=index-rebuild&take=5',
      'GET /api/jobs/a%20b',
      'POST /api/jobs/a%20b/cancel',
    ]);
  });

  it('are watched across a lost connection, until they have ended', async () => {
    const asked: unknown[] = [];
    const texts = [
      'id: 2\nevent: log\ndata: {"text":"begun"}\n\nid: 3\nevent: job\ndata: {"progress":0}\n\n',
      'id: 4\nevent: job\ndata: {"progress":1}\n\nevent: end\ndata: {}\n\n',
    ];
    const baseUrl = await listen((request, response) => {
      asked.push([request.url, request.headers['last-event-id']]);
      response.end(texts.shift());
    });
    const client = new TrellisClient({ baseUrl, retry: { pauseMs: 1 } });
    const events: unknown[] = [];
    for await (const event of client.jobs.watch('7')) events.push(event);
    expect(events).toEqual([
      { kind: 'log', line: { text: 'begun' } },
      { kind: 'job', job: { progress: 0 } },
      { kind: 'job', job: { progress: 1 } },
    ]);
    expect(asked).toEqual([
      ['/api/jobs/7/events', undefined],
      ['/api/jobs/7/events', '3'],
    ]);
  });
});

describe('logs', () => {
  it('are listed, searched and downloaded', async () => {
    const { client, seen } = await scripted([
      { body: { items: [] } },
      { body: { items: [] } },
      { body: '{"level":"info"}\n' },
      { body: '' },
    ]);
    await client.logs.listFiles();
    await client.logs.search({ query: 'a b', level: 'warn', skip: 5 });
    const file = await client.logs.download({ query: 'x', fileNames: ['a.log', 'b/c.log'] });
    expect(await new Response(file).text()).toBe('{"level":"info"}\n');
    expect(await new Response(await client.logs.download()).text()).toBe('');
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /api/graph/logs-files',
      'GET /api/graph/logs?query=a+b&level=warn&skip=5',
      'GET /api/graph/logs-files/download?query=x&fileNames=a.log%2Cb%2Fc.log',
      'GET /api/graph/logs-files/download',
    ]);
  });

  it('are watched', async () => {
    const baseUrl = await listen((request, response) => {
      expect(request.url).toBe('/api/graph/logs/live?level=error');
      expect(request.headers['last-event-id']).toBe('6');
      response.end('id: 7\nevent: line\ndata: {"sequence":7}\n\nevent: end\ndata: {}\n\n');
    });
    const client = new TrellisClient({ baseUrl });
    const events: unknown[] = [];
    for await (const event of client.logs.watch({ level: 'error' }, { after: 6 }))
      events.push(event);
    expect(events).toEqual([{ kind: 'line', line: { sequence: 7 } }]);
  });
});
