import { afterAll, beforeAll, expect, test } from 'vitest';
import { valueAt } from '../support/http-client.ts';
import { items, PASSWORD, People } from '../support/people.ts';
import { WatchedEndpoint } from '../support/watched-endpoint.ts';

const LIVE_MS = 180_000;
/** Several of them are more than the connection between client and server takes. */
const LARGE = 3 * 1024 * 1024;
const CHANGES = 8;
const PAGES = `export default async function ({ graph, body }: Scope<{ key: string; size?: number }>) {
  const book = await graph.tryGet('Book', body.key);
  return [book?.Pages ?? null, 'x'.repeat(body.size ?? 0)];
}`;

let people: People;
beforeAll(async () => {
  people = await People.start();
  const nodes = [{ type: 'Book', key: 'Title', fields: { Pages: 'Int' } }];
  await ok('PUT', '/api/schema', { nodes, edges: [] });
  await ok('POST', '/api/endpoints/create', { name: 'pages', code: PAGES, isReadOnly: true });
}, LIVE_MS);
afterAll(() => people[Symbol.asyncDispose]());

async function ok(method: string, path: string, body?: unknown): Promise<void> {
  const { status, text } = await people.as('admin', method, path, body);
  expect(status, text).toBeLessThan(300);
}

function watch(name: string, path: string, body: object): Promise<WatchedEndpoint> {
  const { url } = people.workspace.server;
  return WatchedEndpoint.open({ url, token: people.token(name), path, body });
}

const write = (key: string, Pages: number) =>
  ok('POST', '/api/ingest', {
    operations: [{ op: 'addOrUpdate', type: 'Book', key, fields: { Pages } }],
  });

async function end(one: WatchedEndpoint): Promise<unknown> {
  const last = await one.next();
  expect([last?.event, await one.next()]).toEqual(['error', undefined]);
  return valueAt(last?.data, 'error', 'code');
}

test(
  'a token that is revoked, and a session that is over, end their watches and no others',
  async () => {
    await people.add('ann');
    await people.addToken('token', { kind: 'endpoint', name: 'of watches', path: 'pages' });
    const token = items(await people.as('admin', 'GET', '/api/tokens')).find(
      ({ name }) => name === 'of watches',
    );
    const body = { key: 'Dune' };
    await using withToken = await watch('token', 'token/live/pages', body);
    await using ofAnn = await watch('ann', 'live/pages', body);
    const other = await people.workspace.http.signIn('ann', PASSWORD);
    const { url } = people.workspace.server;
    const path = 'live/pages';
    // The same question, in another session.
    await using elsewhere = await WatchedEndpoint.open({ url, token: other, path, body });
    for (const one of [withToken, ofAnn, elsewhere]) await one.until([null, '']);
    await ok('DELETE', `/api/tokens/${String(token?.id)}`);
    expect(await end(withToken)).toBe('invalid_token');
    expect((await people.as('ann', 'POST', '/api/login/end')).status).toBe(204);
    expect(await end(ofAnn)).toBe('invalid_token');
    await write('Dune', 1);
    expect(await elsewhere.until([1, ''])).toHaveLength(1);
    const { response } = await watch('token', 'token/live/pages', body);
    expect(response.status).toBe(401);
  },
  LIVE_MS,
);

test(
  'whoever reads slowly gets the newest answer, not all of them',
  async () => {
    await write('Emma', 0);
    await people.add('bob');
    const body = { key: 'Emma', size: LARGE };
    const x = 'x'.repeat(LARGE);
    await using slow = await watch('bob', 'live/pages', body);
    await using quick = await watch('bob', 'live/pages', body);
    await quick.until([0, x]);
    for (let pages = 1; pages <= CHANGES; pages++) {
      await write('Emma', pages);
      await quick.until([pages, x]);
    }
    const seen = await slow.until([CHANGES, x]);
    expect(seen.length).toBeLessThan(CHANGES);
    await write('Emma', 0);
    for (const one of [slow, quick]) expect(await one.until([0, x])).toHaveLength(1);
  },
  LIVE_MS,
);

test(
  'a server that stops says so and ends the streams, and does not wait for those who watch',
  async () => {
    const watches = await Promise.all(
      Array.from({ length: 50 }, (_, i) => watch('admin', 'live/pages', { key: `k${i % 5}` })),
    );
    for (const one of watches) await one.until([null, '']);
    const stopped = people.workspace.server.stop();
    for (const one of watches) expect(await end(one)).toBe('server_stopping');
    expect(await stopped).toBe(0);
  },
  LIVE_MS,
);
