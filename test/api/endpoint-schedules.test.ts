import { afterAll, beforeAll, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { People } from '../support/people.ts';
import { TrellisProcess } from '../support/trellis-process.ts';

const TASKS = '/api/admin/tasks';
const OSLO = '// trellis: cron "0 6 * * *" Europe/Oslo';
const YEARLY = '// trellis: cron "@yearly"';

let people: People;
let admin: TrellisClient;
beforeAll(async () => {
  people = await People.start();
  const baseUrl = people.workspace.server.url;
  admin = new TrellisClient({ baseUrl, token: people.token('admin'), retry: { retriesMax: 0 } });
  await admin.schema.put({ nodes: [{ type: 'Ticket', fields: { Title: 'String' } }], edges: [] });
});
afterAll(() => people[Symbol.asyncDispose]());

function codeWith(...head: string[]): string {
  const body = `({ CurrentUser }: Scope) => ({ as: CurrentUser?.UserName ?? null })`;
  return [...head, `export default async ${body};`].join('\n');
}

async function tasks() {
  const { items } = await admin.tasks.list();
  return items.map(({ name, endpoint, cron, timeZone, enabled, isInCode }) =>
    [name, endpoint, cron, timeZone, enabled, isInCode].join(' '),
  );
}

test('a task is made, changed and removed with the line in the code', async () => {
  const name = 'reports/daily';
  await admin.endpoints.create({ name, code: codeWith(OSLO) });
  expect(await tasks()).toEqual(['reports.daily reports/daily 0 6 * * * Europe/Oslo true true']);
  const { id } = await admin.tasks.run('reports.daily');
  for await (const event of admin.jobs.watch(id)) void event;
  await admin.tasks.disable('reports.daily');

  // A draft that does not compile leaves what serves, and its task, alone.
  const { compiles } = await admin.endpoints.put(name, { code: codeWith('// trellis: cron x') });
  expect([compiles, await tasks()]).toEqual([
    false,
    ['reports.daily reports/daily 0 6 * * * Europe/Oslo false true'],
  ]);

  await admin.endpoints.put(name, { code: codeWith(YEARLY, OSLO) });
  expect(await tasks()).toEqual([
    'reports.daily reports/daily 0 6 * * * Europe/Oslo false true',
    'reports.daily-2 reports/daily @yearly UTC true true',
  ]);
  const { items } = await admin.tasks.listRuns('reports.daily');
  expect(items).toMatchObject([{ state: 'succeeded', result: '{"as":null}' }]);

  await admin.endpoints.put(name, { code: codeWith('// trellis: cron "0 7 * * *"', YEARLY) });
  expect(await tasks()).toEqual([
    'reports.daily reports/daily 0 7 * * * UTC false true',
    'reports.daily-2 reports/daily @yearly UTC true true',
  ]);
  await admin.endpoints.put(name, { code: codeWith(YEARLY) });
  expect(await tasks()).toEqual(['reports.daily-2 reports/daily @yearly UTC true true']);
  await admin.endpoints.delete(name);
  expect(await tasks()).toEqual([]);
});

test('what the code decides is not changed elsewhere, nor exported twice', async () => {
  await admin.endpoints.create({ name: 'nightly', code: codeWith(OSLO) });
  const at = `${TASKS}/nightly`;
  for (const [method, body] of [
    ['DELETE', undefined],
    ['PUT', { cron: '@daily' }],
    ['PUT', { body: { a: 1 } }],
    ['PUT', { builtIn: 'backup' }],
  ] as const) {
    expect(await people.outcome('admin', method, at, body)).toEqual([409, 'task_in_code']);
  }
  const whenMissed = 'skip' as const;
  const changed = await admin.tasks.put('nightly', { whenMissed, enabled: false });
  expect(changed).toMatchObject({ whenMissed, enabled: false, cron: '0 6 * * *', isInCode: true });
  const made = await admin.tasks.create({ name: 'mine', cron: '@daily', endpoint: 'nightly' });
  expect(made.isInCode).toBe(false);
  await admin.endpoints.delete('nightly');
  expect(await tasks()).toEqual(['mine nightly @daily UTC true false']);
  await admin.tasks.delete('mine');
});

test.each([
  ['cron 0 6 * * *', 'cron is an expression in quotes'],
  ['cron "0 25 * * *"', 'the field 2 (hour), "25", is not valid'],
  ['cron "@daily" Oslo', '"Oslo" is no time zone'],
  ['on made Ticket', 'on is created, updated, deleted and the name of a node type'],
  ['on created Tickt', 'The schema has no node type "Tickt". Did you mean "Ticket"?'],
  ['on created _User', '"_User" belongs to the server'],
])('a wrong line is a diagnostic: %s', async (line, message) => {
  const code = codeWith('// About it.', `// trellis: ${line}`);
  const expected = [{ line: 2, column: 1, code: 0, message: expect.stringContaining(message) }];
  expect((await admin.endpoints.check({ code })).diagnostics).toEqual(expected);
  const name = 'wrong';
  const { compiles, diagnostics } = await admin.endpoints.create({ name, code });
  expect([compiles, diagnostics]).toEqual([false, expected]);
  await admin.endpoints.delete(name);
});

test('an endpoint has so many lines that say when it runs', async () => {
  const lines = Array.from({ length: 20 }, (_, i) => `// trellis: cron "${i} 0 * * *"`);
  expect((await admin.endpoints.check({ code: codeWith(...lines) })).diagnostics).toEqual([]);
  const { diagnostics } = await admin.endpoints.check({ code: codeWith(...lines, OSLO) });
  expect(diagnostics).toMatchObject([{ line: 21, message: expect.stringContaining('at most 20') }]);
});

test('the tasks are there after a restart', async () => {
  await admin.endpoints.create({ name: 'kept', code: codeWith(OSLO) });
  await admin.tasks.disable('kept');
  const { server, storage } = people.workspace;
  await server.stop();
  await using again = await TrellisProcess.start({ storage });
  admin = new TrellisClient({ baseUrl: again.url, token: people.token('admin') });
  expect(await tasks()).toEqual(['kept kept 0 6 * * * Europe/Oslo false true']);
});
