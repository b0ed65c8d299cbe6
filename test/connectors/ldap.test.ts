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
const NORTH = `cn=North,${BASE}`;
const personDn = (uid: string) => `uid=${uid},${BASE}`;

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
    await at.people.addTeam('North');
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

  const names = async (type: string, as = 'admin') =>
    Object.values(await at.nodes(type, as))
      .map((node) => node['Name'])
      .toSorted();

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
    const { id } = await admin.connectors.create({ name: 'people', source, secret: PASSWORD });
    expect(await admin.connectors.test({ id, source })).toEqual({
      isReachable: true,
      message: 'A directory with 3 people and 2 groups',
    });
    const first = await run(id);
    expect(first).toMatchObject({ state: 'succeeded', error: null, report: { rejected: 0 } });
    expect(await names('LdapPerson')).toEqual(['Ann Ash', 'Zoe Zed', 'Ünal']);
    expect(await names('LdapGroup')).toEqual(['North', 'unix']);
    const people = Object.values(await at.nodes('LdapPerson'));
    expect(people).toContainEqual(
      expect.objectContaining({ Login: 'ann', Email: 'ann@example.com', Dn: personDn('ann') }),
    );
    expect(JSON.stringify(people)).not.toContain('userPassword');
    expect(await linked()).toEqual([
      'Ann Ash LdapMemberOf 1',
      'Zoe Zed LdapMemberOf 1',
      'Ünal LdapMemberOf 1',
    ]);
    expect((await run(id))?.report).toMatchObject({ rows: 0, operations: 0 });

    await directory.client.modify(personDn('zoe'), changed('replace', 'title', ['Captain']));
    await directory.client.modify(NORTH, changed('delete', 'member', [personDn('sam')]));
    await directory.client.modifyDN(personDn('ann'), 'uid=anna');
    await directory.client.del(personDn('sam'));
    const { report } = (await run(id)) ?? {};
    expect(report).toMatchObject({ rejected: 0, removed: 2 });
    expect(await names('LdapPerson')).toEqual(['Ann Ash', 'Zoe Zed']);
    // Its group still names her as she was called, and nobody has that name any more.
    expect(await linked()).toEqual(['Zoe Zed LdapMemberOf 1']);
    await directory.client.modify(NORTH, changed('add', 'member', [personDn('ANNA')]));
    await run(id);
    expect(await linked()).toEqual(['Ann Ash LdapMemberOf 1', 'Zoe Zed LdapMemberOf 1']);
    expect(await members('North')).toEqual([]);
  });

  /** The groups that people are in, by how many. */
  async function linked(): Promise<string[]> {
    const found: string[] = [];
    for (const { UID, Name } of Object.values(await at.nodes('LdapPerson'))) {
      const { edges } = await admin.nodes.getRecord(String(UID));
      const out = edges.filter(({ direction }) => direction === 'out');
      for (const { edge, count } of out) found.push(`${String(Name)} ${edge} ${count}`);
    }
    return found.toSorted();
  }

  test('makes members of the teams of the groups, takes them back, and hides from others', async () => {
    const given = { ...source, login: 'uid', team: 'Staff' };
    // Her group names her so still.
    await directory.client.modifyDN(personDn('anna'), 'uid=ann');
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
    expect([await members('North'), await members('Staff')]).toEqual([['ann'], []]);
    expect(await names('LdapPerson', 'eve')).toEqual([]);
    const readers = await readersByRow(admin, id);
    expect(Object.keys(readers).length).toBeGreaterThan(2);
    expect(new Set(Object.values(readers).flat())).toEqual(new Set(['both team Staff']));
    await directory.client.modify(NORTH, changed('delete', 'member', [personDn('ann')]));
    expect(await run(id)).toMatchObject({ state: 'succeeded' });
    expect(await members('North')).toEqual([]);
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
    const given = { ...source, url, login: 'uid' };
    const { id } = await admin.connectors.create({ name: 'cut', source: given, secret: PASSWORD });
    expect(await run(id)).toMatchObject({ state: 'succeeded', report: { rejected: 0 } });
    const before = [await names('LdapPerson'), await names('LdapGroup')];
    isBreaking = true;
    const { connections } = proxy;
    expect(await run(id, true)).toMatchObject({ state: 'failed', report: null });
    expect(proxy.connections).toBe(connections + 1);
    expect([await names('LdapPerson'), await names('LdapGroup')]).toEqual(before);
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

const person = (uid: string, name: string) => `
dn: ${personDn(uid)}
objectClass: inetOrgPerson
uid: ${uid}
cn:: ${Buffer.from(name).toString('base64')}
sn: x
mail: ${uid}@example.com
userPassword: secret-${uid}
`;

const ENTRIES = `dn: ${BASE}
objectClass: dcObject
objectClass: organization
o: Example
dc: example
${person('ann', 'Ann Ash')}${person('sam', 'Ünal')}${person('zoe', 'Zoe Zed')}
dn: ${NORTH}
objectClass: groupOfNames
cn: North
member: ${personDn('ann')}
member: UID=sam, DC=example,DC=com
member: cn=somebody,dc=elsewhere

dn: cn=unix,${BASE}
objectClass: posixGroup
cn: unix
gidNumber: 7
memberUid: zoe
memberUid: nobody
`;
