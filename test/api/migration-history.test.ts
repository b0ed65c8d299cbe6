import { afterAll, beforeAll, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { People } from '../support/people.ts';

const answering = (value: number) => `export default async () => ${value};\n`;
const WAITS = `export default async ({ signal }: Scope) =>
  new Promise((done) => signal.addEventListener('abort', () => done(null)));
`;

let people: People;
let admin: TrellisClient;
beforeAll(async () => {
  people = await People.start();
  await people.add('rita', { isReadOnlyAdmin: true });
  const { url: baseUrl } = people.workspace.server;
  admin = new TrellisClient({ baseUrl, token: people.token('admin'), retry: { retriesMax: 0 } });
});
afterAll(() => people[Symbol.asyncDispose]());

async function end(id: string): Promise<void> {
  for await (const event of admin.jobs.watch(id)) void event;
}

test('every change of a migration is kept, as one of endpoints is; that it ran is none', async () => {
  const { UID } = await admin.migrations.create({ name: '001', code: answering(1) });
  await end((await admin.migrations.run('001')).id);
  await admin.migrations.resetStatus({ name: '001' });
  await admin.migrations.put('001', { code: answering(2), runOnStartup: true });
  await admin.migrations.delete('001');
  const { items, total } = await admin.codeHistory.listItem('migration', '001');
  expect(total).toBe(3);
  expect(items.map(({ version, action }) => [version, action])).toEqual([
    [3, 'deleted'],
    [2, 'changed'],
    [1, 'created'],
  ]);
  expect(items[1]).toMatchObject({
    uid: UID,
    kind: 'migration',
    name: '001',
    by: { name: 'admin' },
    diff: expect.stringContaining(
      '-export default async () => 1;\n+export default async () => 2;\n',
    ),
  });
  expect(items[1]?.diff).toContain('+  "runOnStartup": true');
  expect((await admin.codeHistory.list({ take: 3 })).items).toEqual(items);
  expect(await admin.codeHistory.getVersion('migration', '001', { version: 2 })).toMatchObject({
    kind: 'migration',
    code: answering(2),
    settings: { runOnStartup: true },
  });
  const diff = await admin.codeHistory.diff('migration', '001', { from: 1, to: 2 });
  expect(diff).toMatchObject({ uid: UID, kind: 'migration', from: 1, to: 2 });
  expect(diff.diff).toContain('+export default async () => 2;');
});

test('an old version is restored: of one that is deleted too, and numbers go on', async () => {
  const restored = await admin.codeHistory.restore('migration', '001', { version: 1 });
  const before = { code: answering(1), runOnStartup: false };
  expect(restored).toMatchObject({ name: '001', ...before, version: 4, status: 'pending' });
  await end((await admin.migrations.run('001')).id);
  const again = await admin.codeHistory.restore('migration', '001', { version: 2, seen: 4 });
  // How it ran stays: it does not run again by itself.
  const now = { code: answering(2), runOnStartup: true, version: 5 };
  expect(again).toMatchObject({ ...now, status: 'succeeded', ranVersion: 4 });
  expect(await admin.migrations.get('001')).toEqual(again);
  const outdated = admin.codeHistory.restore('migration', '001', { version: 1, seen: 4 });
  await expect(outdated).rejects.toMatchObject({
    code: 'version_conflict',
    details: { seenVersion: 4, currentVersion: 5, current: { code: answering(2) } },
  });
  await admin.migrations.delete('001');
  const { version } = await admin.migrations.create({ name: '001', code: answering(3) });
  expect(version).toBe(7);
  const events = await admin.audit.list({ action: 'migration.restored' });
  expect(events.items.map(({ target }) => target?.id)).toEqual(['001', '001']);
});

test('what cannot be restored is refused', async () => {
  const missing = { status: 404, code: 'code_version_not_found' };
  await expect(
    admin.codeHistory.restore('migration', '001', { version: 99 }),
  ).rejects.toMatchObject(missing);
  await expect(
    admin.codeHistory.restore('migration', 'none', { version: 1 }),
  ).rejects.toMatchObject(missing);
  await expect(admin.codeHistory.listItem('migration', 'none')).rejects.toMatchObject(missing);
  await admin.migrations.create({ name: 'waits', code: WAITS });
  const job = await admin.migrations.run('waits');
  const running = admin.codeHistory.restore('migration', '001', { version: 1 });
  await expect(running).rejects.toMatchObject({ status: 409, code: 'migration_running' });
  await admin.migrations.cancel({ name: 'waits' });
  await end(job.id);
  const path = '/api/code/history/restore/migration/001';
  expect(await people.outcome('rita', 'POST', path, { version: 1 })).toEqual([403, 'forbidden']);
  for (const [method, what, body] of [
    ['POST', 'compare', { version: 1 }],
    ['GET', 'inputs', undefined],
    ['PUT', 'inputs', { keep: 1 }],
  ] as const) {
    const at = `/api/code/history/${what}/migration/001`;
    expect(await people.outcome('admin', method, at, body)).toEqual([404, 'route_not_found']);
  }
});

test('the catalog and the compile status have migrations beside endpoints', async () => {
  const broken = { name: 'broken', code: 'export default async () => missing;\n' };
  const { UID } = await admin.migrations.create(broken);
  const { items } = await admin.build.getCatalog();
  const migrations = items.filter(({ kind }) => kind === 'migration');
  expect(migrations.map(({ name }) => name)).toEqual(['001', 'broken', 'waits']);
  expect(migrations[1]).toEqual({
    uid: UID,
    kind: 'migration',
    name: 'broken',
    folder: '',
    compiles: false,
    updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    updatedBy: { uid: expect.any(String), name: 'admin' },
  });
  expect((await admin.build.getCompileStatus()).FailingIds).toEqual([UID]);
  await admin.migrations.delete('broken');
  expect((await admin.build.getCompileStatus()).FailingIds).toEqual([]);
});
