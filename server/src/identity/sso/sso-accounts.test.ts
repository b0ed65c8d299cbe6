import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { must } from '#base/assert.ts';
import type { WriterOperation } from '#graph/operations.ts';
import { OneAtATime } from '#base/one-at-a-time.ts';
import { openTestIdentity, type TestIdentity } from '../testing/test-identity.ts';
import type { AdmissionRules, ProvenIdentity } from './proven-identity.ts';
import { SsoAccounts } from './sso-accounts.ts';

const ISSUER = 'https://idp.example';
const OPEN: AdmissionRules = { allowedDomains: [], groupTeams: {}, createUsers: true };
const FROM = { via: 'oktasso', address: '192.0.2.1' };
const TEAMS = ['one', 'two', 'three', 'gone', 'other'] as const;

let at: TestIdentity;
let accounts: SsoAccounts;
let teams: Record<(typeof TEAMS)[number], string>;

beforeAll(async () => {
  at = await openTestIdentity();
  const { reader, writer: commits } = at.graph;
  const changes = new OneAtATime();
  accounts = new SsoAccounts({ reader, vault: at.vault, commits, audit: at.audit, changes });
  await commits.commit({ system: true, operations: TEAMS.map(team) });
  reader.refresh();
  const uidOf = (key: string) =>
    must(reader.uid(at.graph.idOf('_AccessGroup', key)), 'the UID of a team');
  teams = Object.fromEntries(TEAMS.map((key) => [key, uidOf(key)])) as typeof teams;
  const gone: WriterOperation = { op: 'delete', type: '_AccessGroup', key: 'gone' };
  await commits.commit({ system: true, operations: [gone] });
});
afterAll(() => at[Symbol.asyncDispose]());

function team(key: string): WriterOperation {
  return { op: 'addOrUpdate', type: '_AccessGroup', key, fields: { Name: key } };
}

function person(name: string, change: Partial<ProvenIdentity> = {}): ProvenIdentity {
  return {
    issuer: ISSUER,
    subject: name,
    email: `${name}@example.com`,
    firstName: null,
    lastName: null,
    fullName: null,
    groups: [],
    ...change,
  };
}

function teamsOf(uid: string): string[] {
  const { reader } = at.graph;
  reader.refresh();
  const id = must(reader.id({ uid }), 'the user');
  return reader
    .neighbors(id, 'out', '_MemberOf')
    .map((other) => String(reader.field(other, 'Name')))
    .toSorted();
}

async function setUser(
  name: string,
  { email, ...fields }: { readonly email: string; readonly Confirmed?: boolean },
): Promise<string> {
  const uid = await at.putUser(name, fields);
  await at.setAddress(name, email);
  return uid;
}

describe('a person without an account here', () => {
  test('becomes a user with their names, and no more', async () => {
    const uid = await accounts.admit(
      person('new', { firstName: 'Nia', lastName: 'West' }),
      OPEN,
      FROM,
    );
    at.graph.reader.refresh();
    expect(at.graph.reader.node(must(at.graph.reader.id({ uid }), 'the user'))).toEqual({
      UID: uid,
      Type: '_User',
      Timestamp: expect.any(String),
      Id: 'new@example.com',
      UserName: 'new@example.com',
      Email: 'new@example.com',
      FirstName: 'Nia',
      LastName: 'West',
      FullName: 'Nia West',
      Active: true,
      Confirmed: true,
    });
    expect(at.events.at(-1)).toMatchObject({ action: 'user.created', target: { id: uid } });
  });

  test('is the user who has their address, in any case', async () => {
    const uid = await setUser('olga', { email: 'Olga@Example.com', Confirmed: true });
    expect(await accounts.admit(person('olga'), OPEN, FROM)).toBe(uid);
  });

  test('is not who has only written their address down', async () => {
    const mallory = await setUser('mallory', { email: 'ceo@example.com', Confirmed: false });
    const closed = { ...OPEN, createUsers: false };
    const refused = accounts.admit(person('ceo'), closed, FROM);
    await expect(refused).rejects.toMatchObject({ details: { reason: 'address_not_confirmed' } });
    const uid = await accounts.admit(person('ceo'), OPEN, FROM);
    expect(uid).not.toBe(mallory);
    expect(await accounts.admit(person('ceo'), closed, FROM)).toBe(uid);
  });

  test('is nobody when two users have it, or one has it as a name', async () => {
    await setUser('twin1', { email: 'twin@example.com', Confirmed: true });
    await setUser('twin2', { email: 'twin@example.com', Confirmed: true });
    const ambiguous = accounts.admit(person('twin'), OPEN, FROM);
    await expect(ambiguous).rejects.toMatchObject({ details: { reason: 'ambiguous_email' } });
    await setUser('named@example.com', { email: 'else@example.com' });
    const taken = accounts.admit(person('named'), OPEN, FROM);
    await expect(taken).rejects.toMatchObject({ details: { reason: 'user_name_taken' } });
  });
});

describe('two accounts with one address', () => {
  test('at the same time: one of them is the user, and stays it', async () => {
    const both = await Promise.allSettled([
      accounts.admit(person('pat', { subject: 'p1' }), OPEN, FROM),
      accounts.admit(person('pat', { subject: 'p2' }), OPEN, FROM),
    ]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  test('at two issuers: both are the user', async () => {
    const one = await accounts.admit(person('quin'), OPEN, FROM);
    const other = person('quin', { issuer: 'https://other.example', subject: 'q' });
    expect(await accounts.admit(other, OPEN, FROM)).toBe(one);
  });

  test('without a lasting name each time: the address alone tells', async () => {
    const one = await accounts.admit(person('rae', { subject: null }), OPEN, FROM);
    expect(await accounts.admit(person('rae', { subject: null }), OPEN, FROM)).toBe(one);
  });
});

test('a sign-in that changes nothing writes nothing', async () => {
  const known = person('sam', { groups: ['g'] });
  const rules = { ...OPEN, groupTeams: { g: teams.one } };
  await accounts.admit(known, rules, FROM);
  const sequence = at.graph.reader.refresh();
  await accounts.admit(known, rules, FROM);
  expect(at.graph.reader.refresh()).toBe(sequence);
});

test('teams stay where the provider does not tell the groups', async () => {
  const rules = { ...OPEN, groupTeams: { g: teams.one } };
  const uid = await accounts.admit(person('tom', { groups: ['g'] }), rules, FROM);
  await accounts.admit(person('tom', { groups: null }), rules, FROM);
  expect(teamsOf(uid)).toEqual(['one']);
  await accounts.admit(person('tom'), rules, FROM);
  expect(teamsOf(uid)).toEqual([]);
});

test('a team that two issuers give stays until the one that gave it takes it', async () => {
  const rules = { ...OPEN, groupTeams: { g: teams.one } };
  const there = { groups: ['g'] };
  const elsewhere = { issuer: 'https://other.example', subject: 'u' };
  const uid = await accounts.admit(person('uma', there), rules, FROM);
  await accounts.admit(person('uma', { ...elsewhere, ...there }), rules, FROM);
  await accounts.admit(person('uma', elsewhere), rules, FROM);
  expect(teamsOf(uid)).toEqual(['one']);
  await accounts.admit(person('uma'), rules, FROM);
  expect(teamsOf(uid)).toEqual([]);
});

test('teams follow the groups they are mapped to, and what was given by hand stays', async () => {
  const groups = ['a', 'b', 'c', '__proto__', 'toString'];
  const mapping = fc.dictionary(fc.constantFrom(...groups), fc.constantFrom(...TEAMS));
  const claimed = fc.uniqueArray(fc.constantFrom(...groups, 'unmapped'));
  const member = await accounts.admit(person('team'), OPEN, FROM);
  /** Those that the user came into by groups. */
  let granted: ReadonlySet<string> = new Set();
  await fc.assert(
    fc.asyncProperty(mapping, claimed, fc.uniqueArray(fc.constantFrom('one', 'other')), check),
    { numRuns: 100, seed: 1 },
  );

  async function check(
    map: Record<string, (typeof TEAMS)[number]>,
    claims: readonly string[],
    before: readonly string[],
  ): Promise<void> {
    await at.graph.writer.commit({
      system: true,
      operations: [
        { op: 'unlinkExcept', from: { uid: member }, edge: '_MemberOf', keep: [] },
        ...before.map((key): WriterOperation => ({
          op: 'link',
          from: { uid: member },
          edge: '_MemberOf',
          to: { type: '_AccessGroup', key },
        })),
      ],
    });
    const groupTeams = Object.fromEntries(
      Object.entries(map).map(([group, name]) => [group, teams[name]]),
    );
    await accounts.admit(person('team', { groups: claims }), { ...OPEN, groupTeams }, FROM);
    const mapped = claims.filter((group) => Object.hasOwn(map, group)).map((group) => map[group]);
    const given = new Set<string>(mapped.filter((name) => name !== undefined && name !== 'gone'));
    const left = before.filter((name) => granted.has(name) && !given.has(name));
    const joined = [...given].filter((name) => !before.includes(name));
    const kept = before.filter((name) => granted.has(name) && given.has(name));
    const expected = before.filter((name) => !left.includes(name)).concat(joined);
    expect(teamsOf(member)).toEqual(expected.toSorted());
    granted = new Set([...kept, ...joined]);
  }
});
