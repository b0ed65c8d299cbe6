import { afterAll, beforeAll, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { ConflictScene, PAUSE } from '../support/conflict-scene.ts';

const CALLERS = 20;

let at: ConflictScene;
let client: TrellisClient;
beforeAll(async () => {
  at = await ConflictScene.start();
  const { url: baseUrl } = at.people.workspace.server;
  const token = at.people.token('admin');
  client = new TrellisClient({ baseUrl, token, retry: { retriesMax: 0 } });
});
afterAll(() => at[Symbol.asyncDispose]());

const count = (key: string) =>
  at.people.as('admin', 'POST', '/api/endpoints/run/count', { key }).then(({ status }) => status);

async function define(name: string, body: string): Promise<void> {
  const code = `export default async ({ graph, search, log }: Scope) => {\nvoid search; void log;\n${body}\n};\n`;
  const { diagnostics } = await client.migrations.create({ name, code });
  expect(diagnostics).toEqual([]);
}

/** Runs a migration to its end. */
async function run(name: string) {
  const { id } = await client.migrations.run(name);
  for await (const event of client.jobs.watch(id)) void event;
  return client.migrations.get(name);
}

const increase = (key: string): string => `{
  const { Value = 0 } = await graph.get('Counter', '${key}');
  ${PAUSE}
  await graph.update('Counter', '${key}', { Value: Value + 100 });
}`;

test('a migration runs again when others have changed what it has read, and logs once', async () => {
  await at.set('read', 1);
  await define('again', `log.info('adding');\n${increase('read')}\nlog.info('added');`);
  const ran = await at.during(
    () => run('again'),
    () => at.set('read', 5),
    () => at.set('read', 6),
  );
  expect(ran).toMatchObject({ status: 'succeeded', error: null });
  expect(ran.log.map(({ text }) => text)).toEqual(['adding', 'added']);
  expect(await at.valueOf('read')).toBe(106);
});

test('callers at once that count what a migration counts are all counted, and it is, too', async () => {
  await at.set('shared', 0);
  await define('beside', increase('shared'));
  const calls: Promise<number>[] = [];
  const ran = await at.during(
    () => run('beside'),
    async () => {
      calls.push(...Array.from({ length: CALLERS }, () => count('shared')));
      await calls[0];
    },
  );
  expect(ran).toMatchObject({ status: 'succeeded' });
  expect(new Set(await Promise.all(calls))).toEqual(new Set([200]));
  expect(await at.valueOf('shared')).toBe(CALLERS + 100);
});

test('callers do not wait for a migration that runs again', async () => {
  await at.set('long', 0);
  await define('long', increase('long'));
  const ran = await at.during(
    () => run('long'),
    () => at.set('long', 5),
    async () => expect(await count('long')).toBe(200),
  );
  expect(ran).toMatchObject({ status: 'succeeded' });
  expect(await at.valueOf('long')).toBe(106);
});

test('a migration that others are always in the way of fails, and has written nothing', async () => {
  await at.set('busy', 0);
  await define(
    'unlucky',
    `await graph.addOrUpdate('Counter', 'half', { Value: 1 });\n${increase('busy')}`,
  );
  const changes = Array.from({ length: 6 }, (_, i) => () => at.set('busy', i + 1));
  const ran = await at.during(() => run('unlucky'), ...changes);
  expect(ran).toMatchObject({ status: 'failed', error: { code: 'write_conflict' } });
  expect([await at.valueOf('busy'), await at.valueOf('half')]).toEqual([6, null]);
  expect(await run('unlucky')).toMatchObject({ status: 'succeeded' });
  expect([await at.valueOf('busy'), await at.valueOf('half')]).toEqual([106, 1]);
});

test('after graph.commit() a migration does not run again: it fails, and what it committed stays', async () => {
  for (const key of ['one', 'two']) await at.set(key, 0);
  await define(
    'steps',
    `for (const key of ['one', 'two']) {
      const done = await graph.tryGet('Counter', 'done ' + key);
      if (done !== null) continue;
      const { Value = 0 } = await graph.get('Counter', key);
      if (key === 'two') ${PAUSE}
      await graph.update('Counter', key, { Value: Value + 100 });
      await graph.addOrUpdate('Counter', 'done ' + key, { Value: 1 });
      await graph.commit();
    }`,
  );
  const ran = await at.during(
    () => run('steps'),
    () => Promise.all([at.set('two', 5), count('one')]),
  );
  expect(ran.status).toBe('failed');
  expect(ran.error).toMatchObject({
    code: 'write_conflict',
    message: expect.stringContaining('graph.commit() stays'),
  });
  expect([await at.valueOf('one'), await at.valueOf('two')]).toEqual([101, 5]);
  expect(await run('steps')).toMatchObject({ status: 'succeeded' });
  expect([await at.valueOf('one'), await at.valueOf('two')]).toEqual([101, 105]);
});

test('a migration finds by search() what it has committed', async () => {
  await define(
    'finds',
    `await graph.addOrUpdate('Note', 'fresh', { Text: 'A zebra.' });
    for (let found = 0; found === 0; ) {
      await graph.commit();
      found = (await search({ query: 'zebra', types: ['Note'] })).hits.length;
    }
    log.info('found');`,
  );
  const ran = await run('finds');
  expect(ran).toMatchObject({ status: 'succeeded', error: null });
  expect(ran.log.map(({ text }) => text)).toEqual(['found']);
});
