import { afterAll, beforeAll, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { People } from '../support/people.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';

const PATH = '/api/migrations';
const WRITES = `export default async function ({ graph, log, run }: Scope) {
  await graph.addOrUpdate('Book', 'old', { Title: 'Renamed' });
  for (let i = 0; i < 3; i++) {
    await graph.transaction((t) => {
      t.addOrUpdate('Author', 'author-' + i, {});
      t.addOrUpdate('Book', 'new-' + i, { Title: 'Number ' + i });
      t.link({ type: 'Book', key: 'new-' + i }, 'WrittenBy', { type: 'Author', key: 'author-' + i });
    });
  }
  await run('adds', {});
  await graph.delete('Book', 'gone');
  log.info('seen: ' + (await graph.tryGet('Book', 'new-0'))?.Title);
}
`;
const ADDS = `export default async ({ graph }: Scope) => {
  await graph.addOrUpdate('Author', 'by an endpoint', {});
};
`;
const CALLS_OUT = `export default async ({ fetch, graph }: Scope) => {
  await graph.addOrUpdate('Author', 'first', {});
  await graph.commit();
  await graph.update('Author', 'first', { Name: 'first' });
  await graph.addOrUpdate('Author', 'second', {});
  await fetch('https://example.com', { method: 'POST' });
};
`;
const WAITS = `export default async ({ signal, log }: Scope) => {
  log.info('waiting');
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stop'))));
};
`;

let people: People;
let admin: TrellisClient;
beforeAll(async () => {
  people = await People.start();
  await people.add('rita', { isReadOnlyAdmin: true });
  const { url: baseUrl } = people.workspace.server;
  admin = new TrellisClient({ baseUrl, token: people.token('admin'), retry: { retriesMax: 0 } });
  await people.as('admin', 'PUT', '/api/schema', LIBRARY_SCHEMA);
  const books = ['old', 'gone'].map((key) => ({
    op: 'addOrUpdate' as const,
    type: 'Book',
    key,
    fields: { Title: key },
  }));
  await people.as('admin', 'POST', '/api/ingest', { operations: books });
  await admin.endpoints.create({ name: 'adds', code: ADDS });
});
afterAll(() => people[Symbol.asyncDispose]());

const outcome = (path: string, who = 'admin') => people.outcome(who, 'POST', PATH + path);
/** Of its own, the server writes events of the audit. */
async function counts() {
  const { types, edges } = await admin.stats.getOverview();
  return [types.filter(({ type }) => !type.startsWith('_')), edges];
}

test('a dry run counts what a run would change, and changes nothing', async () => {
  await admin.migrations.create({ name: '001', code: WRITES });
  const before = [await counts(), await admin.migrations.get('001')];
  const done = await admin.migrations.dryRun('001');
  expect(done).toMatchObject({ name: '001', version: 1, outcome: 'completed', error: null });
  expect(done.nodes).toEqual([
    { type: 'Author', created: 4, changed: 0, deleted: 0 },
    { type: 'Book', created: 3, changed: 1, deleted: 1 },
  ]);
  expect(done.edges).toContainEqual({ type: 'WrittenBy', created: 3, changed: 0, deleted: 0 });
  expect(done.log.map(({ text }) => text)).toEqual(['seen: Number 0']);
  const { items: books } = await admin.nodes.query({ type: 'Book' });
  expect(books.map(({ Title }) => Title).toSorted()).toEqual(['gone', 'old']);
  expect([await counts(), await admin.migrations.get('001')]).toEqual(before);

  for await (const event of admin.jobs.watch((await admin.migrations.run('001')).id)) void event;
  const { items } = await admin.nodes.query({ type: 'Author' });
  expect(items).toHaveLength(4);
  // Of one that has run: what it would do again.
  expect((await admin.migrations.dryRun('001')).nodes).toEqual([]);
});

test('one that fails says why, and what it had committed by then', async () => {
  await admin.migrations.create({ name: 'calls', code: CALLS_OUT });
  const done = await admin.migrations.dryRun('calls');
  expect(done).toMatchObject({ outcome: 'failed', error: { code: 'migration_failed' } });
  expect(done.error?.message).toContain('fetch() could change data');
  expect(done.nodes).toEqual([{ type: 'Author', created: 1, changed: 0, deleted: 0 }]);
  expect(await admin.migrations.get('calls')).toMatchObject({ status: 'pending', jobId: null });
});

test('is for administrators who may write, is audited, and leaves other runs alone', async () => {
  expect(await outcome('/001/dry-run', 'rita')).toEqual([403, 'forbidden']);
  expect(await outcome('/none/dry-run')).toEqual([404, 'migration_not_found']);
  await admin.migrations.create({ name: 'wrong', code: 'export default async () => nothing;\n' });
  expect(await outcome('/wrong/dry-run')).toEqual([422, 'migration_not_compiled']);
  await admin.migrations.create({ name: 'waits', code: WAITS });
  const { id } = await admin.migrations.run('waits');
  for await (const event of admin.jobs.watch(id)) if (event.kind === 'log') break;
  expect(await outcome('/001/dry-run')).toEqual([409, 'migration_running']);
  await admin.migrations.cancel({ name: 'waits' });
  const tried = async () =>
    (await admin.audit.list({ action: 'migration.dry-run' })).items.map(({ target, details }) => [
      target?.id,
      details,
    ]);
  await expect.poll(tried).toContainEqual(['calls', { outcome: 'failed' }]);
});
