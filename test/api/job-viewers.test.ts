import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { endOf } from '../support/backups.ts';
import { People } from '../support/people.ts';
import { temporaryFolder } from '../support/trellis-process.ts';

const WAITS = `export default async ({ signal }: Scope) =>
  new Promise((done) => signal.addEventListener('abort', () => done(null)));
`;
const HIDDEN = { status: 404, code: 'job_not_found' };

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let people: People;
beforeAll(async () => {
  folder = await temporaryFolder();
  people = await People.start({ MSK_GRAPH_BACKUP_FOLDER: `${folder.path}/backups` });
  await people.add('ann');
  await people.addToken('backups', { kind: 'api', name: 'b', scopes: ['admin:backup'] });
  await people.addToken('tasks', { kind: 'automation', name: 't', scopes: ['admin:tasks'] });
  await people.addToken('reads', { kind: 'api', name: 'r', scopes: ['read'] });
  await client('admin').endpoints.create({ name: 'waits', code: WAITS, timeoutMs: 60_000 });
  const task = { name: 'waiting', cron: '0 0 1 1 *', endpoint: 'waits' };
  await client('admin').tasks.create(task);
});
afterAll(async () => {
  await people[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

function client(who: string): TrellisClient {
  const { url: baseUrl } = people.workspace.server;
  return new TrellisClient({ baseUrl, token: people.token(who), retry: { retriesMax: 0 } });
}

const kindsSeen = async (who: string) => {
  const { items, total } = await client(who).jobs.list({ take: 1_000 });
  expect(total).toBe(items.length);
  return [...new Set(items.map(({ kind }) => kind))].toSorted();
};

describe('a token', () => {
  test('that began a backup follows it to its end; that of tasks does not see it', async () => {
    const machine = client('backups');
    const { id } = await machine.backups.run();
    expect(await endOf(machine, { id })).toMatchObject({ state: 'succeeded', kind: 'backup' });
    const [backup] = (await machine.backups.list()).items;
    const verification = await machine.backups.verify(backup!.id);
    expect(await endOf(machine, verification)).toMatchObject({ state: 'succeeded' });
    const other = client('tasks');
    for (const hidden of [id, verification.id, 'none']) {
      await expect(other.jobs.get(hidden)).rejects.toMatchObject(HIDDEN);
      await expect(other.jobs.cancel(hidden)).rejects.toMatchObject(HIDDEN);
      await expect(other.jobs.watch(hidden).next()).rejects.toMatchObject(HIDDEN);
    }
  });

  test('that ran a task follows it and cancels it; that of backups does not see it', async () => {
    const machine = client('tasks');
    const { id } = await machine.tasks.run('waiting');
    const other = client('backups');
    await expect(other.jobs.get(id)).rejects.toMatchObject(HIDDEN);
    await expect(other.jobs.cancel(id)).rejects.toMatchObject(HIDDEN);
    await expect(other.jobs.watch(id).next()).rejects.toMatchObject(HIDDEN);
    expect(await machine.jobs.get(id)).toMatchObject({ state: 'running', kind: 'task' });
    await machine.jobs.cancel(id);
    expect(await endOf(machine, { id })).toMatchObject({ state: 'cancelled' });
  });

  test('lists the kinds that its scope begins, and no others', async () => {
    const all = await kindsSeen('admin');
    expect(all).toEqual(expect.arrayContaining(['backup', 'backup-verification', 'task']));
    expect(await kindsSeen('backups')).toEqual(['backup', 'backup-verification']);
    expect(await kindsSeen('tasks')).toEqual(['task']);
    expect((await client('tasks').jobs.list({ kind: 'backup' })).total).toBe(0);
  });

  test('of another scope sees nothing of jobs', async () => {
    const [job] = (await client('admin').jobs.list()).items;
    const path = `/api/jobs/${job!.id}`;
    for (const [method, at] of [
      ['GET', '/api/jobs'],
      ['GET', path],
      ['GET', `${path}/events`],
      ['POST', `${path}/cancel`],
    ] as const) {
      expect(await people.outcome('reads', method, at), at).toEqual([403, 'forbidden']);
    }
  });
});

test('a user without jobs has an empty list, and those of the server stay hidden', async () => {
  expect(await client('ann').jobs.list()).toMatchObject({ items: [], total: 0 });
  const [job] = (await client('admin').jobs.list()).items;
  const path = `/api/jobs/${job!.id}`;
  expect(await people.outcome('ann', 'GET', path)).toEqual([403, 'forbidden']);
  expect(await people.outcome('ann', 'POST', `${path}/cancel`)).toEqual([403, 'forbidden']);
});
