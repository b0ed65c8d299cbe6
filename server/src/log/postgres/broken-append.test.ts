import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../../../../test/support/postgres-server.ts';
import { requirePostgres } from '../../../../test/support/requires.ts';
import { filled, readAll, settings } from '../testing/log-engine.ts';
import { openDatabaseLog } from './database-log.ts';
import { AppendProxy } from './testing/append-proxy.ts';
import { openDatabase, takeLease, Workspaces } from './testing/postgres-workspaces.ts';

describe.skipIf(requirePostgres())('a connection that breaks during an append', () => {
  let server: PostgresServer;
  let proxy: AppendProxy;
  let workspace: string;
  const workspaces = new Workspaces(() => server);
  beforeAll(async () => {
    server = await startPostgres();
    proxy = await AppendProxy.start(server);
  });
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    workspace = workspaces.next();
  });

  async function open() {
    await using opened = new AsyncDisposableStack();
    const database = opened.use(await openDatabase(proxy.url, workspace));
    const lease = opened.use(await takeLease(database, 'a member'));
    const log = opened.use(await openDatabaseLog({ ...settings(), database, lease }));
    const parts = opened.move();
    return { database, lease, log, [Symbol.asyncDispose]: () => parts.disposeAsync() };
  }

  it('does not hide a commit that is there', async () => {
    await using at = await open();
    await at.log.append(1, filled(10));
    const term = at.lease.current?.term ?? 0;
    proxy.next('answer lost');
    const group = [at.log.append(2, filled(20)), at.log.append(1, filled(30))];
    expect(await Promise.all(group)).toEqual([3, 4]);
    expect(at.lease.current?.term).toBe(term + 1);
    expect(await at.log.append(1, filled(40))).toBe(5);
    const sizes = (await readAll(at.log)).map(({ payload }) => payload.length);
    expect(sizes).toEqual([10, 20, 30, 40]);
  });

  it('refuses a commit that is not there', async () => {
    await using at = await open();
    await at.log.append(1, filled(10));
    proxy.next('request lost');
    await expect(at.log.append(2, filled(20))).rejects.toMatchObject({ code: 'no_primary' });
    expect(await at.log.append(1, filled(40))).toBe(2);
    expect((await readAll(at.log)).map(({ last }) => last)).toEqual([1, 2]);
  });

  it('never lets in a commit that it has refused, however late it arrives', async () => {
    await using at = await open();
    await at.log.append(1, filled(10));
    proxy.next('request delayed');
    await expect(at.log.append(2, filled(20))).rejects.toMatchObject({ code: 'no_primary' });
    await proxy.deliver();
    expect((await at.database.readContents()).end).toMatchObject({ last: 1 });
    expect(await at.log.append(1, filled(40))).toBe(2);
    expect((await readAll(at.log)).map(({ payload }) => payload.length)).toEqual([10, 40]);
  });

  it('does so in a group of several chunks, and at the beginning of a segment', async () => {
    await using at = await open();
    await at.log.append(1, filled(2_000));
    proxy.next('request lost');
    await expect(at.log.append(1, filled(3_000_000))).rejects.toMatchObject({
      code: 'no_primary',
    });
    expect(await at.log.append(1, filled(3_000_000))).toBe(2);
    const records = await readAll(at.log);
    expect(records.map(({ payload }) => payload.length)).toEqual([2_000, 3_000_000]);
    const { segments } = await at.database.readContents();
    expect(segments.map(({ first }) => first)).toEqual([1, 2]);
  });
});
