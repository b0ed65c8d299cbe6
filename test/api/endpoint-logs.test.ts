import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import type { EndpointLogLine } from '@trellis/contract/shapes/endpoint-log.ts';
import { PASSWORD, People } from '../support/people.ts';

let people: People;
beforeAll(async () => {
  people = await People.start();
  await people.add('ann');
  await people.add('reader', { isReadOnlyAdmin: true });
  await create('logs-test/talk', TALKS);
  await create('logs-test/fail', "export default async () => { throw new Error('it broke'); };\n");
});
afterAll(() => people[Symbol.asyncDispose]());

const TALKS = `export default async function ({ body, log }: Scope<{ text: string; count?: number }>) {
  for (let i = 0; i < (body.count ?? 1); i++) log.info(body.text, { i, password: 'hunter22' });
  return 1;
}
`;

async function create(name: string, code: string): Promise<void> {
  const answer = await people.as('admin', 'POST', '/api/endpoints/create', { name, code });
  expect(answer.status, answer.text).toBe(201);
}
const talk = (text: string, count = 1, user = 'ann') =>
  people.as(user, 'POST', '/api/endpoints/run/logs-test/talk', { text, count });

async function list(query: string): Promise<{ items: EndpointLogLine[]; total: number }> {
  const { status, json, text } = await people.as('reader', 'GET', `/api/endpoints/logs?${query}`);
  expect(status, text).toBe(200);
  return json as { items: EndpointLogLine[]; total: number };
}

function clientOf(user: string): TrellisClient {
  const { url } = people.workspace.server;
  return new TrellisClient({ baseUrl: url, token: people.token(user), retry: { pauseMs: 1 } });
}

describe('the lines of endpoints', () => {
  test('are listed newest first, by endpoint, level, text and time, page by page', async () => {
    await talk('Listed one');
    await talk('listed TWO', 2);
    const all = await list('query=LISTED');
    expect(all.total).toBe(3);
    expect(all.items.map(({ message }) => message)).toEqual([
      'listed TWO',
      'listed TWO',
      'Listed one',
    ]);
    const [newest, second, oldest] = all.items;
    expect(newest).toEqual({
      sequence: Number(second?.sequence) + 1,
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      endpoint: 'logs-test/talk',
      level: 'info',
      message: 'listed TWO',
      data: { i: 1, password: '[redacted]' },
      user: people.uid('ann'),
      run: second?.run,
    });
    expect(oldest?.run).not.toBe(newest?.run);
    expect((await list('query=listed&skip=1&take=1')).items).toEqual([second]);
    expect((await list('query=listed&endpoint=logs-test/')).total).toBe(3);
    expect((await list('query=listed&endpoint=logs-test')).total).toBe(0);
    expect((await list('query=listed&endpoint=logs-test/talk')).total).toBe(3);
    expect((await list('query=listed&level=warn')).total).toBe(0);
    expect((await list(`query=listed&to=${oldest?.at}`)).total).toBe(0);
    expect((await list(`query=listed&from=${oldest?.at}`)).total).toBe(3);
    expect(JSON.stringify(await list('take=1000'))).not.toContain('hunter22');
  });

  test('tell how a run failed, and where', async () => {
    const { status } = await people.as('ann', 'POST', '/api/endpoints/run/logs-test/fail');
    expect(status).toBe(500);
    const { items } = await list('endpoint=logs-test/fail&level=error');
    expect(items).toMatchObject([
      { message: 'Error: it broke', data: { kind: 'failed' }, user: people.uid('ann') },
    ]);
    const { guestStack } = Object(items[0]).data;
    expect(guestStack).toMatch(/logs-test\/fail\.ts:1:\d+/);
    expect(guestStack).not.toMatch(/file:|node:|server\/src/);
  });

  test.each(['/api/endpoints/logs', '/api/endpoints/logs/live'])(
    '%s is for administrators',
    async (path) => {
      expect((await people.as('ann', 'GET', path)).status).toBe(403);
      expect((await people.workspace.http.send({ path })).status).toBe(401);
      expect((await people.as('admin', 'GET', `${path}?level=loud`)).status).toBe(400);
      const name = path.replace('/api/endpoints/', '');
      const body = { name, code: 'export default async () => 1;\n' };
      expect((await people.as('admin', 'POST', '/api/endpoints/create', body)).status).toBe(400);
    },
  );

  test('of one run that floods the log are bounded, and the server answers', async () => {
    const { status } = await talk('flood', 100_000);
    expect(status).toBe(200);
    const { total, items } = await list('endpoint=logs-test/talk&take=2');
    expect(total).toBeLessThan(1_100);
    expect(items).toMatchObject([
      { level: 'warn', message: '99001 more lines of this run were left out' },
      { level: 'warn', message: expect.stringContaining('too much') },
    ]);
  });
});

describe('the live lines', () => {
  test('come as they are logged, and after a given one', async () => {
    const stop = new AbortController();
    const [before] = (await list('take=1')).items;
    await talk('live one');
    await talk('another');
    const after = before?.sequence;
    const options = { after, signal: stop.signal };
    const events = clientOf('reader').endpoints.watchLogs({ query: 'live' }, options);
    expect((await events.next()).value).toMatchObject({ line: { message: 'live one' } });
    const next = events.next();
    await talk('live two');
    expect((await next).value).toMatchObject({ kind: 'line', line: { message: 'live two' } });
    const waiting = events.next();
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });

  test('are events of text/event-stream that end when the time has passed', async () => {
    const [line] = (await list('take=1')).items;
    const { headers, text } = await people.workspace.http.send({
      path: '/api/endpoints/logs/live?to=2020-01-01T00:00:00Z',
      token: people.token('reader'),
      headers: { 'Last-Event-ID': 'nonsense' },
    });
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(text).toBe(
      `:\n\nid: ${line?.sequence}\nevent: position\ndata: {}\n\nevent: end\ndata: {}\n\n`,
    );
  });

  test('end with the session', async () => {
    const { http } = people.workspace;
    const token = await http.signIn('reader', PASSWORD);
    const { url } = people.workspace.server;
    const client = new TrellisClient({ baseUrl: url, token, retry: { pauseMs: 1 } });
    const events = client.endpoints.watchLogs({ query: 'of the session' });
    const first = events.next();
    for (;;) {
      await talk('of the session');
      const isThere = await Promise.race([first.then(() => true), talk('x').then(() => false)]);
      if (isThere) break;
    }
    await http.send({ method: 'POST', path: '/api/login/end', token });
    await expect(
      (async () => {
        for (;;) {
          const next = events.next();
          await talk('of the session');
          await next;
        }
      })(),
    ).rejects.toMatchObject({ status: 401 });
  });
});
