import { afterAll, beforeAll, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { WATCH_POINTS_MAX } from '../../server/src/base/watch-limits.ts';
import { valueAt } from '../support/http-client.ts';
import { People } from '../support/people.ts';
import { WatchedEndpoint } from '../support/watched-endpoint.ts';

const LIVE_MS = 180_000;

let people: People;
let admin: TrellisClient;

const SHELF = `export default async function ({ q, body }: Scope<{ shelf: string }>) {
  const books = await q().startWhere('Book', 'Shelf', '=', body.shelf).asUser().nodes();
  return books.map(({ Title }) => Title).toSorted();
}`;
const BOOK = `export default async function ({ graph, body }: Scope<{ key: string }>) {
  const book = await graph.tryGet('Book', body.key);
  return book === null ? null : { pages: book.Pages };
}`;

const NESTED = `export default async function ({ run }: Scope<{}>) {
  return [await run('book', { key: 'nested' }), await run('shelf', { shelf: 'nested' })];
}`;
const COUNT = `export default async function ({ q }: Scope<{}>) {
  return q().startAt('Book').count();
}`;
const FAILING = `export default async function ({ graph, badRequest }: Scope<{}>) {
  const book = await graph.tryGet('Book', 'fragile');
  if (book === null) return badRequest('there is none');
  if (book.Pages === 0) throw new Error('no pages');
  return book.Pages;
}`;
const CITED = `export default async function ({ q, body }: Scope<{ key: string }>) {
  return (await q().startAt('Book', body.key).out('Book', 'Cites').asUser().nodes()).length;
}`;
const FOUND = `export default async function ({ body, searchAsUser }: Scope<{ words: string }>) {
  const { hits } = await searchAsUser({ query: body.words, types: ['Book'] });
  return hits.map(({ node }) => node.Title).toSorted();
}`;
const BEGUN = `export default async function ({ q, body }: Scope<{ words: string }>) {
  const books = await q().startSearch('Book', 'About', body.words).asUser().nodes();
  return books.map(({ Title }) => Title).toSorted();
}`;
const MANY = `export default async function ({ graph, body }: Scope<{ count: number }>) {
  let pages = 0;
  for (let i = 0; i < body.count; i++) {
    pages += (await graph.tryGet('Book', 'many ' + i))?.Pages ?? 0;
  }
  return pages;
}`;
const ENDPOINTS = {
  found: FOUND,
  many: MANY,
  begun: BEGUN,
  shelf: SHELF,
  book: BOOK,
  nested: NESTED,
  count: COUNT,
  failing: FAILING,
  cited: CITED,
};

beforeAll(async () => {
  people = await People.start();
  await people.add('ann');
  await people.add('bob');
  admin = clientOf('admin');
  await admin.schema.put({
    nodes: [
      {
        type: 'Book',
        key: 'Title',
        fields: { Shelf: 'String', Pages: 'Int', About: 'String' },
        indexes: [{ fields: ['Shelf'] }],
      },
      { type: 'Other', key: 'Name', fields: {} },
    ],
    edges: [{ type: 'Cites' }],
  });
  for (const [name, code] of Object.entries(ENDPOINTS)) {
    const made = await admin.endpoints.create({ name, code, isReadOnly: true });
    expect(made.diagnostics).toEqual([]);
  }
  await people.addToken('token', { kind: 'endpoint', name: 't', path: 'book' });
}, LIVE_MS);
afterAll(() => people[Symbol.asyncDispose]());

function clientOf(name: string): TrellisClient {
  const baseUrl = people.workspace.server.url;
  return new TrellisClient({ baseUrl, token: people.token(name), retry: { pauseMs: 10 } });
}

function watch(name: string, path: string, body?: unknown, lastEventId?: string) {
  const { url } = people.workspace.server;
  return WatchedEndpoint.open({ url, token: people.token(name), path, body, lastEventId });
}

const book = (key: string, fields: Record<string, string | number> = {}) =>
  ({ op: 'addOrUpdate', type: 'Book', key, fields }) as const;
const write = (...operations: Parameters<TrellisClient['graph']['ingest']>[0]) =>
  admin.graph.ingest(operations);

test(
  'a watch tells the answer, and each time that it has changed',
  async () => {
    await using shelf = await watch('admin', 'live/shelf', { shelf: 'A' });
    expect(shelf.response.headers.get('content-type')).toContain('text/event-stream');
    const first = await shelf.next();
    expect(first).toMatchObject({ event: 'value', data: { value: [] } });
    expect(first?.id).toBe(String(Object(first?.data).sequence));
    const { sequence } = await write(book('Dune', { Shelf: 'A', Pages: 1 }));
    const seen = await shelf.until(['Dune']);
    expect(Number(seen.at(-1)?.id)).toBeGreaterThanOrEqual(sequence);
    await write(book('Dune', { Shelf: 'B' }), book('Emma', { Shelf: 'A' }));
    expect(await shelf.until(['Emma'])).toHaveLength(1);
  },
  LIVE_MS,
);

test(
  'what was not read wakes nobody, and whoever comes back is told only what is new',
  async () => {
    await write(book('Ulysses', { Pages: 1 }));
    const body = { key: 'Ulysses' };
    const first = await watch('ann', 'live/book', body);
    const id = (await first.next())?.id;
    await first[Symbol.asyncDispose]();
    await write(book('Unrelated', { Pages: 5 }), { op: 'addOrUpdate', type: 'Other', key: 'o' });
    await using again = await watch('ann', 'live/book', body, id);
    await write(book('Ulysses', { Pages: 2 }));
    expect(await again.until({ pages: 2 })).toHaveLength(1);
    // The same answer, after a change of the node that it does not show.
    await write(book('Ulysses', { Shelf: 'Z' }));
    await write(book('Ulysses', { Pages: 3 }));
    expect(await again.until({ pages: 3 })).toHaveLength(1);
    // Another caller, who was never here, comes back from elsewhere.
    await using fromElsewhere = await watch('bob', 'live/book', body, String(id));
    expect(await fromElsewhere.until({ pages: 3 })).toHaveLength(1);
    const now = String((await admin.stats.getOverview()).sequence ?? 0);
    await using withNow = await watch('admin', 'live/book', body, now);
    await write(book('Ulysses', { Pages: 4 }));
    expect(await withNow.until({ pages: 4 })).toHaveLength(1);
    await using fromTheFuture = await watch('admin', 'live/book', body, '999999999');
    expect(await fromTheFuture.until({ pages: 4 })).toHaveLength(1);
  },
  LIVE_MS,
);

test(
  'what a user may not see any more goes, and rights that are gone end a watch',
  async () => {
    await write(book('Secret', { Shelf: 'S', Pages: 1 }));
    await people.add('eve');
    await people.add('mallory', { isAdmin: true });
    await using ofEve = await watch('eve', 'live/shelf', { shelf: 'S' });
    await using ofAnn = await watch('ann', 'live/shelf', { shelf: 'S' });
    await using ofMallory = await watch('mallory', 'live/shelf', { shelf: 'S' });
    for (const one of [ofEve, ofAnn, ofMallory]) await one.until(['Secret']);
    const node = { type: 'Book', key: 'Secret' };
    await write({ op: 'restrict', node, user: { uid: people.uid('ann') } });
    expect(await ofEve.until([])).toHaveLength(1);
    const team = await people.addTeam('readers', { add: [people.uid('ann')] });
    await write({ op: 'restrict', node, team: { uid: team } });
    const uids = { add: [people.uid('eve')] };
    await people.as('admin', 'PUT', `/api/groups/group/${team}/users`, uids);
    expect(await ofEve.until(['Secret'])).toHaveLength(1);
    await admin.users.update(people.uid('mallory'), { isAdmin: false });
    const demoted = await ofMallory.next();
    expect([demoted?.event, await ofMallory.next()]).toEqual(['error', undefined]);
    expect(demoted?.data).toMatchObject({ error: { code: 'forbidden' } });
    await using again = await watch('mallory', 'live/shelf', { shelf: 'S' });
    expect(await again.until([])).toHaveLength(1);
    await admin.users.update(people.uid('mallory'), { isAdmin: true });
    expect(await again.until(['Secret'])).toHaveLength(1);
    await admin.users.update(people.uid('eve'), { active: false });
    const ended = await ofEve.next();
    expect(ended).toMatchObject({ event: 'error', data: { error: { code: 'invalid_token' } } });
    expect(await ofEve.next()).toBeUndefined();
  },
  LIVE_MS,
);

test(
  'only what is read-only can be watched, as it may be run',
  async () => {
    await admin.endpoints.create({ name: 'writes', code: 'export default async () => 1;' });
    await admin.endpoints.create({
      name: 'ours',
      code: 'export default async () => 1;',
      isReadOnly: true,
      access: 'admins',
    });
    const refusals = [
      ['ann', 'live/none', 404, 'endpoint_not_found'],
      ['ann', 'live/writes', 422, 'not_read_only'],
      ['ann', 'live/ours', 404, 'endpoint_not_found'],
      ['token', 'live/book', 403, 'forbidden'],
      ['ann', 'token/live/book', 403, 'forbidden'],
      ['token', 'token/live/shelf', 404, 'endpoint_not_found'],
    ] as const;
    for (const [name, path, status, code] of refusals) {
      const { response } = await watch(name, path);
      const { error } = Object(await response.json());
      expect([name, path, response.status, error.code]).toEqual([name, path, status, code]);
    }
    const broken = await people.as('ann', 'POST', '/api/endpoints/live/book', '{"key":');
    expect(broken.status).toBe(400);
    await using withToken = await watch('token', 'token/live/book', { key: 'nobody' });
    expect(await withToken.until(null)).toHaveLength(1);
    await write(book('nobody', { Pages: 7 }));
    expect(await withToken.until({ pages: 7 })).toHaveLength(1);
  },
  LIVE_MS,
);

test(
  'nested runs, counts, edges and failures are watched as well',
  async () => {
    await using nested = await watch('ann', 'live/nested');
    await nested.until([null, []]);
    await write(book('nested', { Pages: 1, Shelf: 'nested' }));
    expect(await nested.until([{ pages: 1 }, ['nested']])).toHaveLength(1);
    await using count = await watch('ann', 'live/count');
    const books = Number(Object((await count.next())?.data).value);
    await write(book('one more'));
    expect(await count.until(books + 1)).toHaveLength(1);
    await using cited = await watch('bob', 'live/cited', { key: 'nested' });
    await cited.until(0);
    const [from, to] = ['nested', 'one more'].map((key) => ({ type: 'Book', key }));
    await write({ op: 'link', from: from!, edge: 'Cites', to: to! });
    expect(await cited.until(1)).toHaveLength(1);
    await write({ op: 'delete', type: 'Book', key: 'one more' });
    expect(await cited.until(0)).toHaveLength(1);
    expect(await count.until(books)).toHaveLength(1);

    await using failing = await watch('ann', 'live/failing');
    expect(await failing.next()).toMatchObject({
      event: 'error',
      data: { error: { code: 'bad_request', message: 'there is none' } },
    });
    await write(book('fragile', { Pages: 1 }));
    expect(await failing.until(1)).toHaveLength(1);
    await write(book('fragile', { Pages: 0 }));
    expect((await failing.next())?.data).toMatchObject({ error: { code: 'endpoint_failed' } });
    await write(book('fragile', { Pages: 2 }));
    expect(await failing.until(2)).toHaveLength(1);
  },
  LIVE_MS,
);

test.each([WATCH_POINTS_MAX - 1, WATCH_POINTS_MAX, WATCH_POINTS_MAX + 1, 2 * WATCH_POINTS_MAX])(
  'what reads %i nodes is woken by the last of them, one by one or by their type',
  { timeout: LIVE_MS },
  async (count) => {
    const last = `many ${count - 1}`;
    await write({ op: 'delete', type: 'Book', key: last });
    await using many = await watch('admin', 'live/many', { count });
    await many.until(0);
    await write(book(last, { Pages: count }));
    expect(await many.until(count)).toHaveLength(1);
    await write({ op: 'delete', type: 'Book', key: last });
    expect(await many.until(0)).toHaveLength(1);
  },
);

test(
  'a search is answered again once its index has the commit',
  async () => {
    await using found = await watch('ann', 'live/found', { words: 'harbour' });
    await using begun = await watch('bob', 'live/begun', { words: 'harbour' });
    const query = { query: 'harbour', types: ['Book'] };
    await using system = await watch('ann', 'live/system/search', query);
    const until = async (...titles: string[]) => {
      for (const one of [found, begun]) expect(await one.until(titles)).toHaveLength(1);
      // Each answer says how long it took, and so is another one.
      for (;;) {
        const value: unknown = Object((await system.next())?.data).value;
        if (valueAt(value, 'total') === titles.length) return;
      }
    };
    await until();
    await write(book('Coast', { About: 'The harbour of an island' }));
    await until('Coast');
    await write(book('Far from it', { About: 'A mountain' }));
    await write(book('Sea', { About: 'Harbours and smugglers' }));
    await until('Coast', 'Sea');
    await write({ op: 'delete', type: 'Book', key: 'Coast' });
    await until('Sea');
    await write({
      op: 'restrict',
      node: { type: 'Book', key: 'Sea' },
      user: { uid: people.uid('mallory') },
    });
    await until();
  },
  LIVE_MS,
);

test(
  'an endpoint that is saved again is asked again, and one that is deleted ends its watches',
  async () => {
    const code = (value: number) => `export default async () => ${value};`;
    await admin.endpoints.create({ name: 'changing', code: code(1), isReadOnly: true });
    await using changing = await watch('ann', 'live/changing');
    await changing.until(1);
    await admin.endpoints.put('changing', { code: code(2) });
    expect(await changing.until(2)).toHaveLength(1);
    await admin.endpoints.delete('changing');
    expect((await changing.next())?.data).toMatchObject({ error: { code: 'endpoint_not_found' } });
    expect(await changing.next()).toBeUndefined();
  },
  LIVE_MS,
);

test(
  'many who ask the same share its runs',
  async () => {
    await write(book('shared', { Pages: 1 }));
    const calls = async () =>
      (await admin.endpoints.getMetrics()).items.find(({ name }) => name === 'book')?.calls ?? 0;
    const all = await Promise.all(
      Array.from({ length: 20 }, () => watch('ann', 'live/book', { key: 'shared' })),
    );
    for (const one of all) await one.until({ pages: 1 });
    const before = await calls();
    await write(book('shared', { Pages: 2 }));
    for (const one of all) expect(await one.until({ pages: 2 })).toHaveLength(1);
    expect((await calls()) - before).toBe(1);
    for (const one of all) await one[Symbol.asyncDispose]();
  },
  LIVE_MS,
);

test(
  'the SDK goes on after lost connections, and ends with its signal or for good',
  async () => {
    await write(book('sdk', { Pages: 1 }));
    const lost: AbortController[] = [];
    const client = new TrellisClient({
      baseUrl: people.workspace.server.url,
      token: people.token('ann'),
      retry: { pauseMs: 10 },
      fetch: (input, init) => {
        const cut = new AbortController();
        lost.push(cut);
        const signal = AbortSignal.any([cut.signal, ...(init?.signal ? [init.signal] : [])]);
        return fetch(input, { ...init, signal });
      },
    });
    const stop = new AbortController();
    const values: unknown[] = [];
    let told = Promise.withResolvers<void>();
    const onValue = (value: unknown): void => {
      values.push(value);
      told.resolve();
    };
    const { signal } = stop;
    const watching = client.watchEndpoint('book', { key: 'sdk' }, onValue, { signal });
    await told.promise;
    told = Promise.withResolvers<void>();
    lost.at(-1)?.abort(new TypeError('the network is gone'));
    await write(book('sdk', { Pages: 2 }));
    await told.promise;
    stop.abort();
    await watching;
    expect(values).toEqual([{ pages: 1 }, { pages: 2 }]);
    expect(lost.length).toBeGreaterThan(1);
    await expect(client.watchEndpoint('none', {}, onValue)).rejects.toMatchObject({
      code: 'endpoint_not_found',
    });
  },
  LIVE_MS,
);
