import { expect, it } from 'vitest';
import { scripted } from '../testing/scripted-server.ts';

it('lists, makes, reads, changes and deletes migrations', async () => {
  const migration = { name: '001', code: 'x' };
  const list = { items: [migration], total: 1, skip: 0, take: 2 };
  const { client, seen } = await scripted([
    { body: list },
    { status: 201, body: migration },
    { body: migration },
    { body: migration },
    { status: 204 },
  ]);
  expect(await client.migrations.list({ take: 2 })).toEqual(list);
  expect(await client.migrations.create(migration)).toEqual(migration);
  expect(await client.migrations.get('0 1')).toEqual(migration);
  expect(await client.migrations.put('001', { runOnStartup: true })).toEqual(migration);
  await client.migrations.delete('001');
  expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['GET', '/api/migrations?take=2', ''],
    ['POST', '/api/migrations', JSON.stringify(migration)],
    ['GET', '/api/migrations/0%201', ''],
    ['PUT', '/api/migrations/001', '{"runOnStartup":true}'],
    ['DELETE', '/api/migrations/001', ''],
  ]);
});

it('runs, cancels and resets them', async () => {
  const { client, seen } = await scripted([
    { status: 202, body: { id: '1' } },
    { status: 202, body: { id: '2' } },
    { body: { name: '001' } },
    { body: { reset: ['001'] } },
  ]);
  expect(await client.migrations.run('001')).toEqual({ id: '1' });
  expect(await client.migrations.runAll()).toEqual({ id: '2' });
  expect(await client.migrations.cancel()).toEqual({ name: '001' });
  expect(await client.migrations.resetStatus({ name: '001' })).toEqual({ reset: ['001'] });
  expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['POST', '/api/migrations/001/run', ''],
    ['POST', '/api/migrations/run', ''],
    ['POST', '/api/migrations/cancel', ''],
    ['POST', '/api/migrations/reset-task-status', '{"name":"001"}'],
  ]);
});
