import { expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { endOf, makeBackup, startLibrary, verified } from '../support/backups.ts';
import { startWorkspace } from '../support/workspace.ts';

test('the audit has who began, verified and deleted a backup, tokens by their ids', async () => {
  await using library = await startLibrary();
  const { client } = library;
  const { user } = await client.login.check();
  const audited = async () =>
    (await client.audit.list({ action: 'backup', take: 100 })).items.map(
      ({ action, actor, target, outcome, address, details }) => ({
        action,
        actor,
        target: target?.id,
        outcome,
        address,
        details,
      }),
    );
  const actor = { uid: user.uid, name: user.name };
  const said = { outcome: 'success', address: '127.0.0.1' };

  const backup = await makeBackup(client);
  const verification = await verified(client, backup.id);
  await client.backups.delete(backup.id);
  const details = { jobId: verification.id };
  await expect.poll(audited).toEqual([
    { ...said, action: 'backup.deleted', actor, target: backup.id, details: {} },
    { ...said, action: 'backup.verification-run', actor, target: backup.id, details },
    { ...said, action: 'backup.run', actor, target: expect.any(String), details: {} },
  ]);

  const wanted = { kind: 'api', name: 'nightly', scopes: ['admin:backup'] } as const;
  const { id: tokenId, token } = await client.tokens.create(wanted);
  const machine = new TrellisClient({ baseUrl: library.server.url, token });
  const { id } = await endOf(machine, await machine.backups.run());
  await expect
    .poll(async () => (await audited())[0])
    .toEqual({
      ...said,
      action: 'backup.run',
      actor: null,
      target: id,
      details: { token: tokenId },
    });

  // What was refused has changed nothing, and is not there.
  const missing = { code: 'backup_not_found' };
  await expect(client.backups.delete('20010101T000000000Z-00000000')).rejects.toMatchObject(
    missing,
  );
  await expect(client.backups.verify('20010101T000000000Z-00000000')).rejects.toMatchObject(
    missing,
  );
  await client.endpoints.create({ name: 'later', code: 'export default async () => 1;\n' });
  expect(await audited()).toHaveLength(4);
});

test('deleting a task or a migration is in the audit', async () => {
  await using workspace = await startWorkspace();
  const client = new TrellisClient({ baseUrl: workspace.server.url, token: workspace.token });
  await client.tasks.create({ name: 'nightly', cron: '0 3 * * *', builtIn: 'search-evaluation' });
  await client.tasks.delete('nightly');
  await client.migrations.create({ name: '001', code: 'export default async () => 1;\n' });
  await client.migrations.delete('001');
  for (const [action, kind] of [
    ['task.deleted', 'task'],
    ['migration.deleted', 'migration'],
  ]) {
    const { items } = await client.audit.list({ action: action! });
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ actor: { name: 'admin' }, target: { kind } });
  }
});
