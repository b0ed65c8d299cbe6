import { expect, it, vi } from 'vitest';
import type { Caller } from '#access/caller.ts';
import { OneAtATime } from '#base/one-at-a-time.ts';
import { scale } from '../../../../test/support/scale.ts';
import { openTestIdentity, TEST_PASSWORD, type TestIdentity } from '../testing/test-identity.ts';
import { ScimService } from './scim-service.ts';
import type { ScimUsers } from './scim-users.ts';

const USERS = scale({ sample: 2_000, soak: 100_000 });
const COMMIT = 10_000;
const PAGE = 1_000;

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

  const paged: string[] = [];
  for (let startIndex = 1; startIndex <= USERS + 1; startIndex += PAGE) {
    reads.mockClear();
    const { Resources } = await users.list(IDP, { startIndex, count: PAGE });
    paged.push(...Resources.map(({ id }) => id));
    expect(reads.mock.calls.length).toBeLessThanOrEqual(PAGE);
  }
  expect([paged.length, new Set(paged).size]).toEqual([USERS + 1, USERS + 1]);

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

const GONE = [{ op: 'replace', path: 'active', value: false }];

it.each<[string, (users: ScimUsers, id: string) => Promise<unknown>]>([
  ['PATCH', (users, id) => users.patch(IDP, targetOf(id), { Operations: GONE }, '::1')],
  ['PUT', (users, id) => users.replace(IDP, targetOf(id), { active: false }, '::1')],
  ['DELETE', (users, id) => users.delete(IDP, targetOf(id), '::1')],
])('ends sessions and tokens of a user in the commit of the %s', async (method, leave) => {
  await using at = await openTestIdentity();
  const { users } = serviceOver(at);
  const emails = [{ value: 'ann@x.example' }];
  const ann = { userName: 'ann', externalId: 'x', emails, password: TEST_PASSWORD };
  const { id } = await users.create(IDP, ann, '127.0.0.1');
  await at.putUser('admin', { IsAdmin: true });
  const bob = await at.putUser('bob');
  at.graph.clock.time += 1_000;
  const admin = at.identity.authenticate(await at.signIn('admin'));
  const tokenFor = async (kind: 'mcp' | 'llm-openai' | 'llm-anthropic', actingUser: string) =>
    (await at.tokens.create(admin, { kind, name: kind, actingUser }, '::1')).token;
  const others = await tokenFor('mcp', bob);
  const own = [await at.signIn('ann')];
  for (const kind of ['mcp', 'llm-openai', 'llm-anthropic'] as const) {
    own.push(await tokenFor(kind, id));
  }
  for (const token of own) expect(at.identity.authenticate(token).userName).toBe('ann');
  using commits = vi.spyOn(at.graph.writer, 'commit');
  await leave(users, id);
  expect(commits).toHaveBeenCalledTimes(1);
  const areOver = (): void => {
    at.graph.reader.refresh();
    for (const token of own) expect(() => at.identity.authenticate(token)).toThrow('not valid');
  };
  areOver();
  // For good, not only while the user is away.
  const listed = at.tokens.list(admin, { skip: 0, take: 10 }).items;
  const revoked = listed.filter((token) => token.revoked).map(({ actingUser }) => actingUser);
  expect(revoked).toEqual([id, id, id]);
  if (method === 'DELETE') await users.create(IDP, ann, '::1');
  else await users.replace(IDP, targetOf(id), { active: true }, '::1');
  areOver();
  expect(at.identity.authenticate(others).userName).toBe('bob');
});

const targetOf = (id: string) => ({ id, ifMatch: undefined });
