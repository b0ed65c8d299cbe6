import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { People } from '../support/people.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';
import { TrellisProcess } from '../support/trellis-process.ts';

const PATH = '/api/migrations';
const WRITES = `export default async function ({ graph, log, progress, CurrentUser }: Scope) {
  for (let i = 0; i < 4; i++) {
    await graph.addOrUpdate('Book', 'book-' + i, { Title: 'Number ' + i });
    progress((i + 1) / 4, i + ' is written');
  }
  log.info('written by ' + (CurrentUser === null ? 'the system' : 'somebody'));
}
`;
const THROWS = `export default async function ({ graph }: Scope) {
  await graph.addOrUpdate('Book', 'half', { Title: 'Half' }); await graph.commit();
  throw new Error('half way');
}
`;
const WAITS = `export default async ({ signal, log }: Scope) => {
  log.info('waiting');
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stop'))));
};
`;
const WRONG = `export default async ({ graph }: Scope) => graph.addOrUpdate('Bok', 'x', {});\n`;

let people: People;
let admin: TrellisClient;
beforeAll(async () => {
  people = await People.start();
  await people.add('ann');
  await people.add('rita', { isReadOnlyAdmin: true });
  admin = clientAt(people.workspace.server);
  await people.as('admin', 'PUT', '/api/schema', LIBRARY_SCHEMA);
});
afterAll(() => people[Symbol.asyncDispose]());

function clientAt({ url: baseUrl }: { readonly url: string }): TrellisClient {
  return new TrellisClient({ baseUrl, token: people.token('admin'), retry: { retriesMax: 0 } });
}

const outcome = (method: string, path: string, body?: unknown, who = 'admin') =>
  people.outcome(who, method, path, body);

/** Follows a job to its end. */
async function end(id: string, at = admin) {
  for await (const event of at.jobs.watch(id)) void event;
  return at.jobs.get(id);
}

/** Resolves when the code of a migration has logged something. */
async function begun(id: string) {
  for await (const event of admin.jobs.watch(id)) if (event.kind === 'log') return;
}

describe('a migration', () => {
  test('runs once, as a job, with progress and a log', async () => {
    const made = await admin.migrations.create({ name: '001 books', code: WRITES });
    expect(made).toMatchObject({
      name: '001 books',
      runOnStartup: false,
      status: 'pending',
      version: 1,
      compiles: true,
      diagnostics: [],
      ranVersion: null,
      jobId: null,
    });
    const job = await admin.migrations.run('001 books');
    expect(job).toMatchObject({ kind: 'migration', isCancellable: true });
    expect(await end(job.id)).toMatchObject({
      state: 'succeeded',
      step: '001 books: 3 is written',
    });
    const ran = await admin.migrations.get('001 books');
    expect(ran).toMatchObject({ status: 'succeeded', ranVersion: 1, jobId: job.id, error: null });
    expect(ran.log.map(({ text }) => text)).toEqual(['written by the system']);
    const { items } = await admin.nodes.query({ type: 'Book' });
    expect(items).toHaveLength(4);
    expect(await outcome('POST', `${PATH}/001%20books/run`)).toEqual([409, 'migration_succeeded']);
    expect(await admin.migrations.resetStatus({ name: '001 books' })).toEqual({
      reset: ['001 books'],
    });
    expect(await end((await admin.migrations.runAll({ name: '001 books' })).id)).toMatchObject({
      state: 'succeeded',
    });
    await admin.migrations.delete('001 books');
    expect(await outcome('GET', `${PATH}/001%20books`)).toEqual([404, 'migration_not_found']);
  });

  test('that fails says why, and is run again once it is corrected', async () => {
    await admin.migrations.create({ name: 'fails', code: THROWS });
    const { id } = await admin.migrations.run('fails');
    const error = { code: 'migration_failed', message: 'Error: half way (line 3, column 9)' };
    expect(await end(id)).toMatchObject({ state: 'failed', error });
    expect(await admin.migrations.get('fails')).toMatchObject({ status: 'failed', error });
    const corrected = await admin.migrations.put('fails', { code: THROWS.replace(/throw.*/, '') });
    expect(corrected).toMatchObject({ version: 2, ranVersion: 1, status: 'failed' });
    await end((await admin.migrations.run('fails')).id);
    expect(await admin.migrations.get('fails')).toMatchObject({
      status: 'succeeded',
      ranVersion: 2,
      error: null,
    });
    await admin.migrations.delete('fails');
  });

  test('that does not compile is kept, and does not run', async () => {
    const made = await admin.migrations.create({ name: 'wrong', code: WRONG });
    expect(made).toMatchObject({ compiles: false, diagnostics: [{ line: 1 }] });
    expect(await outcome('POST', `${PATH}/wrong/run`)).toEqual([422, 'migration_not_compiled']);
    expect(await admin.migrations.get('wrong')).toMatchObject({ status: 'pending' });
    await admin.migrations.delete('wrong');
  });

  test('is cancelled, and meanwhile nothing else is begun, changed or reset', async () => {
    await admin.migrations.create({ name: 'waits', code: WAITS });
    await admin.migrations.create({ name: 'other', code: WRITES });
    expect(await outcome('POST', `${PATH}/cancel`)).toEqual([409, 'migration_not_running']);
    const { id } = await admin.migrations.run('waits');
    await begun(id);
    expect(await admin.migrations.get('waits')).toMatchObject({ status: 'running', jobId: id });
    for (const [method, path, body] of [
      ['POST', `${PATH}/reset-task-status`],
      ['POST', `${PATH}/other/run`],
      ['POST', `${PATH}/run`],
      ['PUT', `${PATH}/other`, {}],
      ['DELETE', `${PATH}/waits`],
    ] as const) {
      expect(await outcome(method, path, body)).toEqual([409, 'migration_running']);
    }
    const other = { name: 'other' };
    expect(await outcome('POST', `${PATH}/cancel`, other)).toEqual([409, 'migration_not_running']);
    expect(await admin.migrations.cancel()).toMatchObject({ name: 'waits', status: 'cancelled' });
    expect(await end(id)).toMatchObject({ state: 'cancelled' });
    expect(await admin.migrations.resetStatus()).toEqual({ reset: ['waits'] });
    expect(await admin.migrations.get('waits')).toMatchObject({ status: 'pending', jobId: id });
    const again = await admin.migrations.run('waits');
    await begun(again.id);
    await admin.jobs.cancel(again.id);
    expect(await end(again.id)).toMatchObject({ state: 'cancelled' });
    for (const name of ['waits', 'other']) await admin.migrations.delete(name);
  });

  test('runs in the order of names, and one that fails keeps back those after it', async () => {
    const nothing = await admin.migrations.runAll();
    expect(await end(nothing.id)).toMatchObject({ state: 'succeeded' });
    for (const [name, code] of [
      ['c', WRITES],
      ['b', THROWS],
      ['a', WRITES],
    ] as const) {
      await admin.migrations.create({ name, code });
    }
    expect(await end((await admin.migrations.runAll()).id)).toMatchObject({ state: 'failed' });
    const statuses = async () => (await admin.migrations.list()).items.map(({ status }) => status);
    expect(await statuses()).toEqual(['succeeded', 'failed', 'pending']);
    await admin.migrations.put('b', { code: WRITES });
    expect(await end((await admin.migrations.runAll()).id)).toMatchObject({ state: 'succeeded' });
    expect(await statuses()).toEqual(['succeeded', 'succeeded', 'succeeded']);
    for (const name of ['a', 'b', 'c']) await admin.migrations.delete(name);
  });

  test.each([
    [{ name: 'x/y' }, 400, 'invalid_request'],
    [{ code: 5 }, 400, 'invalid_request'],
    [{ runOnStartup: 'yes' }, 400, 'invalid_request'],
    [{ unknown: 1 }, 400, 'invalid_request'],
  ])('of no good shape is refused: %j', async (given, status, code) => {
    const body = { name: 'bad', code: WRITES, ...given };
    expect(await outcome('POST', PATH, body)).toEqual([status, code]);
  });

  test('is for administrators', async () => {
    const body = { name: 'mine', code: WRITES };
    expect(await outcome('GET', PATH, undefined, '')).toEqual([401, 'missing_token']);
    expect(await outcome('GET', PATH, undefined, 'ann')).toEqual([403, 'forbidden']);
    expect(await outcome('GET', PATH, undefined, 'rita')).toEqual([200, undefined]);
    expect(await outcome('POST', PATH, body, 'rita')).toEqual([403, 'forbidden']);
    expect(await outcome('POST', PATH, body)).toEqual([201, undefined]);
    expect(await outcome('POST', PATH, body)).toEqual([409, 'migration_exists']);
    await admin.migrations.delete('mine');
  });
});

test('a start runs those that are for it, once, up to one that cannot', async () => {
  const { server, storage } = people.workspace;
  const runOnStartup = true;
  await admin.migrations.create({ name: '1', code: WRITES, runOnStartup });
  await admin.migrations.create({ name: '2', code: WRITES });
  await admin.migrations.create({ name: '3', code: WRITES, runOnStartup });
  await admin.migrations.create({ name: '4', code: WRONG, runOnStartup });
  await admin.migrations.create({ name: '5', code: WRITES, runOnStartup });
  await server.stop();
  {
    await using first = await TrellisProcess.start({ storage });
    const at = clientAt(first);
    const { items } = await at.jobs.list({ kind: 'migration' });
    expect(await end(items[0]?.id ?? '', at)).toMatchObject({ state: 'succeeded' });
    const statuses = (await at.migrations.list()).items.map(({ status }) => status);
    expect(statuses).toEqual(['succeeded', 'pending', 'succeeded', 'pending', 'pending']);
    await first.stop();
  }
  await using second = await TrellisProcess.start({ storage });
  const { items } = await clientAt(second).migrations.list();
  expect(items[0]).toMatchObject({ status: 'succeeded', ranVersion: 1 });
});
