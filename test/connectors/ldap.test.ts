import { Attribute, Change } from 'ldapts';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { readersByRow, runToEnd } from '../support/connector-runs.ts';
import { requireSlapd } from '../support/requires.ts';
import { ConnectorScene } from './connector-scene.ts';
import { startMeddling } from './meddling-proxy.ts';
import { BASE, type DirectoryServer, startDirectory } from './ldap-server.ts';

const PASSWORD = 'quokka-on-the-island';

/** A part of the directory for one test. Its groups are named like it, and so are their teams. */
interface Unit {
  readonly name: string;
  readonly base: string;
  readonly team: string;
  readonly group: string;
  readonly person: (uid: string) => string;
}

function unit(name: string): Unit {
  const base = `ou=${name},${BASE}`;
  const team = `North of ${name}`;
  return { name, base, team, group: `cn=${team},${base}`, person: (uid) => `uid=${uid},${base}` };
}

const [WHOLE, TEAMS, CUT] = [unit('whole'), unit('teams'), unit('cut')];

describe.skipIf(requireSlapd())('a directory', () => {
  let at: ConnectorScene;
  let directory: DirectoryServer;
  let admin: TrellisClient;
  let source: Extract<
    Parameters<TrellisClient['connectors']['create']>[0]['source'],
    { kind: 'ldap' }
  >;

  beforeAll(async () => {
    at = await ConnectorScene.start();
    for (const name of ['ann', 'sam', 'eve']) await at.people.add(name);
    for (const { team } of [WHOLE, TEAMS, CUT]) await at.people.addTeam(team);
    await at.people.addTeam('Staff');
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'ldap' }]);
    directory = await startDirectory(PASSWORD, { key, cert }, ENTRIES);
    const baseUrl = at.people.workspace.server.url;
    admin = new TrellisClient({ baseUrl, token: at.people.token('admin') });
    await admin.workspace.putSettings({ fetchAllowList: [directory.url] });
    source = {
      kind: 'ldap',
      url: directory.url,
      tls: false,
      user: directory.user,
      base: BASE,
      people: '(objectClass=inetOrgPerson)',
      groups: '(|(objectClass=groupOfNames)(objectClass=posixGroup))',
      login: null,
      team: null,
    };
  });
  afterAll(async () => {
    await directory[Symbol.asyncDispose]();
    await at[Symbol.asyncDispose]();
  });

  const run = (id: string, full = false) => runToEnd(admin, id, full);

  /** Those that came from a part of the directory. */
  const nodes = async (type: string, { base }: Unit, as = 'admin') =>
    Object.values(await at.nodes(type, as)).filter((node) => String(node['Dn']).endsWith(base));
  const names = async (type: string, from: Unit, as = 'admin') =>
    (await nodes(type, from, as)).map((node) => node['Name']).toSorted();

  /** Names of the members of a team of the workspace. */
  async function members(team: string): Promise<string[]> {
    const { items: teams } = await admin.teams.list();
    const uid = teams.find(({ Name }) => Name === team)?.UID ?? '';
    const { items } = await admin.teams.listUsers(uid);
    return items.map((user) => String(user['UserName'])).toSorted();
  }

  const changed = (operation: 'add' | 'delete' | 'replace', type: string, values: string[]) =>
    new Change({ operation, modification: new Attribute({ type, values }) });

  test('comes with people, groups and who is in which; then with what has changed', async () => {
    const { base, team, group, person } = WHOLE;
    const given = { ...source, base };
    const { id } = await admin.connectors.create({
      name: 'whole',
      source: given,
      secret: PASSWORD,
    });
    expect(await admin.connectors.test({ id, source: given })).toEqual({
      isReachable: true,
      message: 'A directory with 3 people and 2 groups',
    });
    const first = await run(id);
    expect(first).toMatchObject({ state: 'succeeded', error: null, report: { rejected: 0 } });
    expect(await names('LdapPerson', WHOLE)).toEqual(['Ann Ash', 'Zoe Zed', 'Ünal']);
    expect(await names('LdapGroup', WHOLE)).toEqual([team, 'unix']);
    const people = await nodes('LdapPerson', WHOLE);
    expect(people).toContainEqual(
      expect.objectContaining({ Login: 'ann', Email: 'ann@example.com', Dn: person('ann') }),
    );
    expect(JSON.stringify(people)).not.toContain('userPassword');
    expect(await linked()).toEqual([
      'Ann Ash LdapMemberOf 1',
      'Zoe Zed LdapMemberOf 1',
      'Ünal LdapMemberOf 1',
    ]);
    expect((await run(id))?.report).toMatchObject({ rows: 0, operations: 0 });

    await directory.client.modify(person('zoe'), changed('replace', 'title', ['Captain']));
    await directory.client.modify(group, changed('delete', 'member', [person('sam')]));
    await directory.client.modifyDN(person('ann'), 'uid=anna');
    await directory.client.del(person('sam'));
    const { report } = (await run(id)) ?? {};
    expect(report).toMatchObject({ rejected: 0, removed: 2 });
    expect(await names('LdapPerson', WHOLE)).toEqual(['Ann Ash', 'Zoe Zed']);
    // Its group still names her as she was called, and nobody has that name any more.
    expect(await linked()).toEqual(['Zoe Zed LdapMemberOf 1']);
    await directory.client.modify(group, changed('add', 'member', [person('ANNA')]));
    await run(id);
    expect(await linked()).toEqual(['Ann Ash LdapMemberOf 1', 'Zoe Zed LdapMemberOf 1']);
    expect(await members(team)).toEqual([]);
  });

  /** The groups that people are in, by how many. */
  async function linked(): Promise<string[]> {
    const found: string[] = [];
    for (const { UID, Name } of await nodes('LdapPerson', WHOLE)) {
      const { edges } = await admin.nodes.getRecord(String(UID));
      const out = edges.filter(({ direction }) => direction === 'out');
      for (const { edge, count } of out) found.push(`${String(Name)} ${edge} ${count}`);
    }
    return found.toSorted();
  }

  test('makes members of the teams of the groups, takes them back, and hides from others', async () => {
    const { base, team, group, person } = TEAMS;
    const given = { ...source, base, login: 'uid', team: 'Staff' };
    const { id } = await admin.connectors.create({
      name: 'teams',
      source: given,
      secret: PASSWORD,
    });
    const last = await run(id);
    expect(last).toMatchObject({ state: 'succeeded', error: null });
    expect(last?.log.map(({ text }) => text)).toContain(
      'There is no team "unix": it makes no members',
    );
    expect([await members(team), await members('Staff')]).toEqual([['ann', 'sam'], []]);
    expect(await names('LdapPerson', TEAMS, 'eve')).toEqual([]);
    const readers = await readersByRow(admin, id);
    expect(Object.keys(readers).length).toBeGreaterThan(2);
    expect(new Set(Object.values(readers).flat())).toEqual(new Set(['both team Staff']));
    await directory.client.modify(group, changed('delete', 'member', [person('ann')]));
    expect(await run(id)).toMatchObject({ state: 'succeeded' });
    expect(await members(team)).toEqual(['sam']);
  });

  test('takes nothing back when the connection ends after the sign-in', async () => {
    // Whoever connects again asks as nobody, to whom nothing is there.
    let isBreaking = false;
    await using proxy = await startMeddling(directory.port, () => {
      let pages = 0;
      return (from, bytes, end) => {
        if (from === 'server' && bytes.includes(END_OF_PAGE)) pages++;
        // After the times of people and groups, and the people.
        if (isBreaking && pages === 3) end();
        return bytes;
      };
    });
    const url = `ldap://127.0.0.1:${proxy.port}`;
    await admin.workspace.putSettings({ fetchAllowList: [directory.url, url] });
    const given = { ...source, base: CUT.base, url, login: 'uid' };
    const { id } = await admin.connectors.create({ name: 'cut', source: given, secret: PASSWORD });
    expect(await run(id)).toMatchObject({ state: 'succeeded', report: { rejected: 0 } });
    const brought = async () => [await names('LdapPerson', CUT), await names('LdapGroup', CUT)];
    const before = await brought();
    expect(before.map(({ length }) => length)).toEqual([3, 2]);
    isBreaking = true;
    const { connections } = proxy;
    expect(await run(id, true)).toMatchObject({ state: 'failed', report: null });
    expect(proxy.connections).toBe(connections + 1);
    expect(await brought()).toEqual(before);
  });

  test('what cannot be read is told, without the password', async () => {
    const cases = [
      { secret: 'wrong-password', says: 'refuses user and password' },
      { source: { ...source, user: null }, secret: 'unused', says: 'directory says' },
      { source: { ...source, people: '(((' }, says: '' },
      { source: { ...source, base: 'dc=nowhere' }, says: 'directory says' },
      { source: { ...source, tls: true }, says: 'self-signed' },
      { source: { ...source, team: 'Nord' }, says: 'no team "Nord"', isRun: true },
    ];
    for (const { says, isRun = false, ...asked } of cases) {
      const made = { name: says || 'filter', source, secret: PASSWORD, ...asked };
      const { id } = await admin.connectors.create(made);
      const tried = isRun
        ? { isReachable: false, message: (await run(id))?.error?.message ?? '' }
        : await admin.connectors.test({ id, source: made.source });
      expect(tried.isReachable, says).toBe(false);
      expect(tried.message).toContain(says);
      expect(tried.message).not.toContain(made.secret);
    }
  });
});

/** The control that ends a page of entries (RFC 2696). */
const END_OF_PAGE = '1.2.840.113556.1.4.319';

const personEntry = (dn: string, uid: string, name: string) => `
dn: ${dn}
objectClass: inetOrgPerson
uid: ${uid}
cn:: ${Buffer.from(name).toString('base64')}
sn: x
mail: ${uid}@example.com
userPassword: secret-${uid}
`;

const unitEntries = ({ name, base, team, group, person }: Unit) => `
dn: ${base}
objectClass: organizationalUnit
ou: ${name}
${personEntry(person('ann'), 'ann', 'Ann Ash')}${personEntry(person('sam'), 'sam', 'Ünal')}
${personEntry(person('zoe'), 'zoe', 'Zoe Zed')}
dn: ${group}
objectClass: groupOfNames
cn: ${team}
member: ${person('ann')}
member: UID=sam, OU=${name}, DC=example,DC=com
member: cn=somebody,dc=elsewhere

dn: cn=unix,${base}
objectClass: posixGroup
cn: unix
gidNumber: 7
memberUid: zoe
memberUid: nobody
`;

const ENTRIES = `dn: ${BASE}
objectClass: dcObject
objectClass: organization
o: Example
dc: example
${[WHOLE, TEAMS, CUT].map(unitEntries).join('')}`;
