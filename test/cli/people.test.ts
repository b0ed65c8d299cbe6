import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runTrellis } from '../support/command-line.ts';
import { PASSWORD, People } from '../support/people.ts';
import { temporaryFolder } from '../support/trellis-process.ts';

let people: People;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  people = await People.start();
  await people.add('ann');
});
afterAll(async () => {
  await people[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

function asAdmin(args: readonly string[], input?: string) {
  const { server, token } = people.workspace;
  return runTrellis(args, { home: folder.path, server: server.url, token, input });
}

async function json(args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await asAdmin([...args, '--json']);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

test('users are created, listed, changed, deactivated and given reset links', async () => {
  const create = ['user', 'create', 'Bob', 'bob@example.com', '--first-name', 'Bob'];
  const created = await asAdmin([...create, '--password-stdin'], `${PASSWORD}\n`);
  expect([created.code, created.stderr]).toEqual([0, 'Created the user Bob.\n']);
  const uid = created.stdout.trim();
  await expect(people.workspace.http.signIn('bob', PASSWORD)).resolves.toBeTypeOf('string');

  const list = await asAdmin(['user', 'list', '--query', 'bob']);
  expect(list.stdout).toMatch(/^USER +NAME +EMAIL +STATE +UID\nBob +Bob +bob@example.com +active/);
  const update = ['user', 'update', 'BOB', '--role', 'CanManageTeams', '--guest'];
  expect(await json(update)).toMatchObject({ UID: uid, Roles: ['CanManageTeams'], IsGuest: true });
  expect(await json(['user', 'update', uid, '--no-guest', '--no-role'])).toMatchObject({
    IsGuest: false,
    Roles: [],
  });
  const link = await asAdmin(['user', 'reset-link', 'bob']);
  expect(link.stdout).toMatch(/^http:\/\/\S+#\/reset-password\?token=\S+\n$/);
  expect((await asAdmin(['user', 'deactivate', 'bob'])).code).toBe(0);
  expect(await json(['user', 'show', 'bob'])).toMatchObject({ Active: false });
});

test('what cannot be is said with a way out', async () => {
  const nothing = await asAdmin(['user', 'update', 'ann']);
  expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining('nothing to change')]);
  const unknown = await asAdmin(['user', 'show', 'nobody']);
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('trellis user list')]);
  const weak = ['user', 'create', 'x', 'x@example.com', '--password-stdin'];
  const refused = await asAdmin(weak, 'short');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('10 characters')]);
  expect(refused.stderr + refused.stdout).not.toContain('short\n');
});

test('teams are created, filled, shown and deleted', async () => {
  const team = (await asAdmin(['team', 'create', 'Sales', '--description', 'All'])).stdout.trim();
  await asAdmin(['team', 'create', 'East']);
  const members = ['team', 'members', 'sales', '--add-team', 'East', '--admins', 'ann'];
  expect(await json(members)).toMatchObject({ users: [], admins: [people.uid('ann')] });
  await asAdmin(['team', 'members', 'East', '--add', 'ann']);
  expect((await asAdmin(['team', 'show', 'Sales'])).stdout).not.toContain('ann@');
  expect((await asAdmin(['team', 'show', 'Sales', '--nested'])).stdout).toContain('ann@');
  expect(await json(['team', 'list'])).toEqual(
    expect.arrayContaining([expect.objectContaining({ UID: team, Name: 'Sales' })]),
  );
  expect((await asAdmin(['team', 'delete', 'East'])).code).toBe(0);
  expect((await asAdmin(['team', 'show', 'East'])).code).toBe(1);
});

test('a token is printed once, alone, and is worth nothing once revoked', async () => {
  const created = await asAdmin(['token', 'create', 'api', 'importer', '--scope', 'ingestion']);
  const value = created.stdout.trim();
  expect(value.split('.')).toHaveLength(3);
  expect(created.stderr).toContain('shown this once');
  const listed = await asAdmin(['token', 'list', '--kind', 'api']);
  expect(listed.stdout).toContain('importer');
  expect(listed.stdout).not.toContain(value);
  const { server } = people.workspace;
  const use = { home: folder.path, server: server.url, token: value };
  expect((await runTrellis(['schema', 'get'], use)).code).toBe(0);
  const [record] = Object.values(await json(['token', 'list', '--kind', 'api']));
  expect((await asAdmin(['token', 'revoke', String(Object(record).id)])).code).toBe(0);
  const refused = await runTrellis(['schema', 'get'], use);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('not valid')]);
  const wrong = await asAdmin(['token', 'create', 'endpoint', 'x', '--scope', 'ingestion']);
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('scopes')]);
});

test('the UIDs of users and teams are found by their names', async () => {
  const resolve = ['access', 'resolve', '--user', 'ANN', 'nobody', '--team', 'Sales'];
  const uid = people.uid('ann');
  expect(await json(resolve)).toMatchObject({ users: { ANN: uid, nobody: null } });
  const { code, stdout } = await asAdmin(resolve);
  expect([code, stdout]).toEqual([0, expect.stringMatching(new RegExp(`user +ANN +${uid}`))]);
  expect(stdout).toMatch(/user +nobody +-/);
});

test('access is explained, and rules of types are read and put', async () => {
  await people.as('admin', 'PUT', '/api/schema', {
    nodes: [{ type: 'Note', key: 'Name', fields: { Text: 'String' } }],
    edges: [],
  });
  const node = { op: 'addOrUpdate', type: 'Note', key: 'n-1', fields: { Text: 't' } };
  await people.as('admin', 'POST', '/api/ingest', { operations: [node] });
  const uid = (await asAdmin(['uid', 'Note', 'n-1'])).stdout.trim();
  const seen = await asAdmin(['access', 'explain', 'ann', uid]);
  expect(seen.stdout).toContain('ann sees the Note "n-1".');
  expect(seen.stdout).toContain('ann may not write it.');
  const file = join(folder.path, 'rules.json');
  await writeFile(file, JSON.stringify({ types: { Note: { visibleTo: 'restricted' } } }));
  expect((await asAdmin(['access', 'types', 'put', file])).code).toBe(0);
  expect((await asAdmin(['access', 'types', 'get'])).stdout).toContain('restricted');
  const hidden = await asAdmin(['access', 'explain', 'ann', uid]);
  expect(hidden.stdout).toContain('ann does not see the Note "n-1".');
});

test('the audit is listed and filtered', async () => {
  const all = await asAdmin(['audit', '--take', '1000']);
  expect(all.stdout).toContain('access.types-changed');
  const tokens = await asAdmin(['audit', '--action', 'token', '--user', 'admin']);
  expect(tokens.stdout).toMatch(/token\.revoked +admin +token importer/);
  expect(tokens.stdout).not.toContain('user.created');
  expect((await asAdmin(['audit', '--outcome', 'maybe'])).code).toBe(2);
});
