import { expect, it } from 'vitest';
import { scripted } from '../testing/scripted-server.ts';

it('lists, makes, reads, changes and deletes tasks, and explains schedules', async () => {
  const task = { name: 'nightly', cron: '@daily', endpoint: 'a/b' };
  const list = { items: [task], total: 1, skip: 0, take: 2 };
  const { client, seen } = await scripted([
    { body: list },
    { body: { items: [] } },
    { status: 201, body: task },
    { body: task },
    { body: task },
    { body: task },
    { status: 204 },
  ]);
  expect(await client.tasks.list({ take: 2 })).toEqual(list);
  expect(await client.tasks.listBuiltIn()).toEqual({ items: [] });
  expect(await client.tasks.create(task)).toEqual(task);
  expect(await client.tasks.checkSchedule({ cron: '@daily' })).toEqual(task);
  expect(await client.tasks.get('at night')).toEqual(task);
  expect(await client.tasks.put('nightly', { enabled: false })).toEqual(task);
  await client.tasks.delete('nightly');
  expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['GET', '/api/admin/tasks?take=2', ''],
    ['GET', '/api/admin/built-in-tasks', ''],
    ['POST', '/api/admin/tasks', JSON.stringify(task)],
    ['POST', '/api/admin/tasks/check', '{"cron":"@daily"}'],
    ['GET', '/api/admin/tasks/at%20night', ''],
    ['PUT', '/api/admin/tasks/nightly', '{"enabled":false}'],
    ['DELETE', '/api/admin/tasks/nightly', ''],
  ]);
});

it('runs, enables and disables tasks, and reads their log', async () => {
  const list = { items: [], total: 0, skip: 0, take: 50 };
  const { client, seen } = await scripted([
    { status: 202, body: { id: '1' } },
    { body: { enabled: true } },
    { body: { enabled: false } },
    { body: list },
  ]);
  expect(await client.tasks.run('nightly')).toEqual({ id: '1' });
  expect(await client.tasks.enable('nightly')).toEqual({ enabled: true });
  expect(await client.tasks.disable('nightly')).toEqual({ enabled: false });
  expect(await client.tasks.listRuns('nightly', { skip: 3 })).toEqual(list);
  expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['POST', '/api/admin/tasks/nightly/run', ''],
    ['POST', '/api/admin/tasks/nightly/enable', ''],
    ['POST', '/api/admin/tasks/nightly/disable', ''],
    ['GET', '/api/admin/tasks/nightly/log?skip=3', ''],
  ]);
});
