import { expect, it, vi } from 'vitest';
import type { Caller } from '#access/caller.ts';
import { OneAtATime } from '#base/one-at-a-time.ts';
import { scale } from '../../../../test/support/scale.ts';
import { openTestIdentity, TEST_PASSWORD, type TestIdentity } from '../testing/test-identity.ts';
import { ScimService } from './scim-service.ts';

const USERS = scale({ sample: 2_000, soak: 100_000 });
const COMMIT = 10_000;

const IDP: Caller = {
  kind: 'api',
  userUid: null,
  userName: null,
  isAdmin: false,
  isReadOnlyAdmin: false,
  isGuest: false,
  roles: [],
  scopes: ['admin:scim'],
  endpointPath: null,
  tokenId: 'idp',
};

function serviceOver({ graph, vault, audit }: TestIdentity): ScimService {
  return new ScimService({
    reader: graph.reader,
    vault,
    commits: graph.writer,
    clock: graph.clock,
    audit,
    userChanges: new OneAtATime(),
    teamChanges: new OneAtATime(),
    publicUrl: () => 'https://x.example',
  });
}

it(`creates, finds and pages through users beside ${USERS} others, which it does not read`, async () => {
  await using at = await openTestIdentity();
  const { reader, writer } = at.graph;
  for (let from = 0; from < USERS; from += COMMIT) {
    await writer.commit({
      system: true,
      operations: Array.from({ length: Math.min(COMMIT, USERS - from) }, (_, i) => {
        const UserName = `user-${from + i}`;
        const fields = { UserName, Email: `${UserName}@x.example`, Active: true };
        return { op: 'addOrUpdate', type: '_User', key: UserName, fields };
      }),
    });
  }
  const { users } = serviceOver(at);
  using fields = vi.spyOn(reader, 'field');
  const ann = { userName: 'ann', externalId: 'x', emails: [{ value: 'ann@x.example' }] };
  const made = await users.create(IDP, ann, '127.0.0.1');
  const again = users.create(IDP, { ...ann, userName: 'ann2', externalId: 'y' }, '127.0.0.1');
  await expect(again).rejects.toMatchObject({ code: 'user_exists' });
  expect(fields.mock.calls.length).toBeLessThanOrEqual(20);
  using reads = vi.spyOn(reader, 'node');

  const last = await users.list(IDP, { startIndex: USERS - 9, count: 100 });
  expect(last).toMatchObject({ totalResults: USERS + 1, itemsPerPage: 11 });
  expect(last.Resources.at(-1)?.id).toBe(made.id);
  expect(reads.mock.calls.length).toBeLessThanOrEqual(11);

  for (const filter of ['userName eq "ANN"', 'externalId eq "x"', `id eq "${made.id}"`]) {
    reads.mockClear();
    const { Resources } = await users.list(IDP, { filter });
    expect(Resources.map(({ id }) => id)).toEqual([made.id]);
    expect(reads.mock.calls.length).toBeLessThanOrEqual(2);
  }

  const others = await users.list(IDP, { filter: 'emails.value sw "USER-1" and active eq true' });
  const expected = Array.from({ length: USERS }, (_, i) => `user-${i}`);
  expect(others.totalResults).toBe(expected.filter((name) => name.startsWith('user-1')).length);
});

it('ends the sessions of a user in the commit that deactivates them', async () => {
  await using at = await openTestIdentity();
  const { users } = serviceOver(at);
  const emails = [{ value: 'ann@x.example' }];
  const ann = { userName: 'ann', externalId: 'x', emails, password: TEST_PASSWORD };
  const { id } = await users.create(IDP, ann, '127.0.0.1');
  at.graph.clock.time += 1_000;
  const session = await at.signIn('ann');
  expect(at.identity.authenticate(session).userName).toBe('ann');
  using commits = vi.spyOn(at.graph.writer, 'commit');
  const Operations = [{ op: 'replace', path: 'active', value: false }];
  await users.patch(IDP, { id, ifMatch: undefined }, { Operations }, '127.0.0.1');
  expect(commits).toHaveBeenCalledTimes(1);
  at.graph.reader.refresh();
  expect(() => at.identity.authenticate(session)).toThrow('not valid');
});
