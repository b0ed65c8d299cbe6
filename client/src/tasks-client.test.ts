import { expect, it } from 'vitest';
import { scripted } from './testing/scripted-server.ts';

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
  expect(await client.listTasks({ take: 2 })).toEqual(list);
  expect(await client.listBuiltInTasks()).toEqual({ items: [] });
  expect(await client.createTask(task)).toEqual(task);
  expect(await client.checkTaskSchedule({ cron: '@daily' })).toEqual(task);
  expect(await client.getTask('at night')).toEqual(task);
  expect(await client.putTask('nightly', { enabled: false })).toEqual(task);
  await client.deleteTask('nightly');
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
  expect(await client.runTask('nightly')).toEqual({ id: '1' });
  expect(await client.enableTask('nightly')).toEqual({ enabled: true });
  expect(await client.disableTask('nightly')).toEqual({ enabled: false });
  expect(await client.listTaskRuns('nightly', { skip: 3 })).toEqual(list);
  expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['POST', '/api/admin/tasks/nightly/run', ''],
    ['POST', '/api/admin/tasks/nightly/enable', ''],
    ['POST', '/api/admin/tasks/nightly/disable', ''],
    ['GET', '/api/admin/tasks/nightly/log?skip=3', ''],
  ]);
});
