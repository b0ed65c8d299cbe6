import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { items, PASSWORD, People } from '../support/people.ts';

let people: People;

beforeAll(async () => {
  people = await People.start();
  await people.add('ann');
  await people.add('reader', { isReadOnlyAdmin: true });
});
afterAll(() => people[Symbol.asyncDispose]());

async function audit(query: string): Promise<Record<string, unknown>[]> {
  return items(await people.as('reader', 'GET', `/api/audit?take=1000&${query}`));
}

describe('the audit trail', () => {
  test('has every sign-in, also those that failed, without passwords', async () => {
    const { http } = people.workspace;
    await http.signIn('ann', PASSWORD);
    await http.send({ path: '/api/login/create', body: { user: 'ann', password: 'not that one' } });
    await expect.poll(() => audit('action=login.failed')).toHaveLength(1);
    const [failed] = await audit('action=login.failed');
    expect(failed).toMatchObject({
      actor: null,
      target: { kind: 'user', name: 'ann' },
      outcome: 'failure',
      address: '127.0.0.1',
    });
    expect((await audit('action=login&user=ann&outcome=success'))[0]).toMatchObject({
      action: 'login.succeeded',
      actor: { uid: people.uid('ann'), name: 'ann' },
    });
    expect(JSON.stringify(await audit(''))).not.toContain('not that one');
  });

  test('has who changed users, roles, teams and settings', async () => {
    const team = await people.addTeam('Audited', { add: [people.uid('ann')] });
    const user = `/api/users/user/${people.uid('ann')}`;
    await people.as('admin', 'PUT', user, { roles: ['CanManageSynonyms'] });
    await people.as('admin', 'POST', `/api/groups/group/${team}/delete`);
    await people.as('admin', 'PUT', '/api/workspace/settings', { name: 'Audited' });
    const actions = (await audit('user=admin')).map((event) => event['action']);
    expect(actions).toEqual(
      expect.arrayContaining([
        'user.created',
        'user.changed',
        'role.changed',
        'team.created',
        'team.members-changed',
        'team.deleted',
        'workspace.settings-changed',
      ]),
    );
    expect((await audit(`target=${team}`)).map((event) => event['action'])).toEqual([
      'team.deleted',
      'team.members-changed',
      'team.created',
    ]);
    expect(await audit(`action=role.changed&target=${people.uid('ann')}`)).toEqual([
      expect.objectContaining({ details: { roles: ['CanManageSynonyms'] } }),
    ]);
  });

  test('is newest first, paged, and limited to a time', async () => {
    const all = await audit('');
    const times = all.map((event) => String(event['at']));
    expect(times).toEqual(times.toSorted().toReversed());
    const page = await people.as('admin', 'GET', '/api/audit?skip=1&take=2');
    expect(items(page)).toEqual(all.slice(1, 3));
    expect(page.json).toMatchObject({ total: all.length, skip: 1, take: 2 });
    const middle = times[Math.floor(times.length / 2)] ?? '';
    const before = await audit(`to=${middle}`);
    const since = await audit(`from=${middle}`);
    expect(before.length + since.length).toBe(all.length);
    expect(before.every((event) => String(event['at']) < middle)).toBe(true);
  });

  test('is for administrators, and bad filters are refused', async () => {
    expect(await people.outcome('ann', 'GET', '/api/audit')).toEqual([403, 'forbidden']);
    for (const query of ['from=yesterday', 'outcome=maybe', 'take=0']) {
      expect(await people.outcome('admin', 'GET', `/api/audit?${query}`)).toEqual([
        400,
        'invalid_request',
      ]);
    }
  });
});
