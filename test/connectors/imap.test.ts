import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { runToEnd } from '../support/connector-runs.ts';
import { requireDovecot } from '../support/requires.ts';
import { ConnectorScene } from './connector-scene.ts';
import { startMeddling } from './meddling-proxy.ts';
import { type MailServer, startMailServer } from './mail-server.ts';

const PASSWORD = 'quokka-on-the-island';

describe.skipIf(requireDovecot())('a mailbox', () => {
  let at: ConnectorScene;
  let mail: MailServer;
  let admin: TrellisClient;
  let source: Extract<
    Parameters<TrellisClient['connectors']['create']>[0]['source'],
    { kind: 'imap' }
  >;

  beforeAll(async () => {
    at = await ConnectorScene.start();
    const [, nia] = [await at.people.add('ann'), await at.people.add('nia')];
    for (const name of ['sam', 'eve']) await at.people.add(name);
    await at.people.addTeam('north', { add: [nia] });
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'mail' }]);
    mail = await startMailServer({ ann: PASSWORD, sam: 'wombat' }, { key, cert });
    const baseUrl = at.people.workspace.server.url;
    admin = new TrellisClient({ baseUrl, token: at.people.token('admin') });
    const origin = `imap://127.0.0.1:${mail.port}`;
    const secure = `imaps://127.0.0.1:${mail.securePort}`;
    await admin.workspace.putSettings({ fetchAllowList: [origin, secure] });
    source = {
      kind: 'imap',
      url: origin,
      tls: false,
      user: 'ann',
      owner: null,
      folder: null,
      fileBytesMax: 20_000,
    };
    await mail.as('ann', async (box) => {
      await box.mailboxCreate('Team');
      await box.append('INBOX', letter({ id: 'a', subject: 'Trip', text: 'To the lighthouse.' }));
      await box.append(
        'INBOX',
        letter({ id: 'b', before: 'a', subject: 'Re: Trip', text: 'Yes.' }),
      );
      await box.append('INBOX', letter({ id: 'big', subject: 'Big', text: 'x'.repeat(30_000) }));
      await box.append(
        'Team',
        letter({ id: 't', subject: 'Plan', text: 'All.', file: 'An okapi.' }),
      );
      await box.append('Trash', letter({ id: 'z', subject: 'Gone', text: 'Forget it.' }));
    });
    await mail.allow('ann', 'Team', 'user=sam', 'lookup read');
    await mail.allow('ann', 'Team', 'group=north', 'lookup read');
    await mail.allow('ann', 'Team', 'user=nobody-here', 'lookup read');
    await mail.allow('ann', 'INBOX', 'user=eve', 'lookup insert');
  });
  afterAll(async () => {
    await mail[Symbol.asyncDispose]();
    await at[Symbol.asyncDispose]();
  });

  const run = (id: string, full = false) => runToEnd(admin, id, full);

  async function fieldOf(type: string, field: string, as = 'admin'): Promise<unknown[]> {
    return Object.values(await at.nodes(type, as))
      .map((node) => node[field])
      .toSorted();
  }
  const subjects = (as?: string) => fieldOf('MailMessage', 'Subject', as);

  async function found(query: string, as: string): Promise<unknown[]> {
    const path = '/api/endpoints/run/system/search';
    const { json } = await at.people.as(as, 'POST', path, { query });
    return Object(json).hits.map((hit: object) =>
      String(Object(Object(hit).node).Id)
        .split('/')
        .at(-1),
    );
  }

  test('comes with threads and attachments, for those who may read each folder there', async () => {
    const { id } = await admin.connectors.create({ name: 'ann', source, secret: PASSWORD });
    expect(await admin.connectors.test({ id, source })).toEqual({
      isReachable: true,
      message: 'A mailbox with 2 folders, with access lists',
    });
    const first = await run(id);
    expect(first).toMatchObject({ state: 'succeeded', error: null, report: { rejected: 0 } });
    expect(first?.log.map(({ text }) => text)).toContain(
      '"Team": 1 of its readers are nobody here',
    );
    expect(await subjects('ann')).toEqual(['Big', 'Plan', 'Re: Trip', 'Trip']);
    for (const as of ['sam', 'nia']) expect(await subjects(as)).toEqual(['Plan']);
    expect([await subjects('eve'), await fieldOf('MailFolder', 'Path', 'eve')]).toEqual([[], []]);
    expect(await fieldOf('MailThread', 'Subject', 'ann')).toEqual(['Big', 'Plan', 'Trip']);
    expect(await fieldOf('MailThread', 'Subject', 'sam')).toEqual(['Plan']);
    const message = ['MailMessage', 'Subject'] as const;
    expect(await at.edges('MailPartOf', message, ['MailThread', 'Subject'])).toEqual([
      ['Big', 'Big'],
      ['Plan', 'Plan'],
      ['Re: Trip', 'Trip'],
      ['Trip', 'Trip'],
    ]);
    expect(await at.edges('MailIn', message, ['MailFolder', 'Path'])).toEqual([
      ['Big', 'INBOX'],
      ['Plan', 'Team'],
      ['Re: Trip', 'INBOX'],
      ['Trip', 'INBOX'],
    ]);
    const messages = Object.values(await at.nodes('MailMessage'));
    expect(messages).toContainEqual(
      expect.objectContaining({ Subject: 'Big', Text: '', From: 'Ann <ann@example.com>' }),
    );
    expect(messages).toContainEqual(
      expect.objectContaining({
        Subject: 'Plan',
        Text: 'All.\n',
        Attachments: 1,
        MessageId: 't@x',
      }),
    );
    await expect.poll(() => found('okapi', 'sam')).toEqual(['animals.txt']);
    expect(await found('okapi', 'eve')).toEqual([]);
    expect(await run(id)).toMatchObject({ report: { rows: 2, operations: 0 } });
  });

  test('who sees a folder there and here is compared, whatever has changed here since', async () => {
    const [{ id } = { id: '' }] = (await admin.connectors.list()).items;
    const readers = async () => {
      const { items, total } = await admin.connectors.access(id);
      expect(total).toBe(items.length);
      const told = items.map(({ row, node, principals }) => {
        const seen = principals.map(({ kind, name, sees }) => `${sees} ${kind} ${name}`);
        return [row, node.type, seen.toSorted()] as const;
      });
      return { items, told };
    };
    const everyone = [
      'both team north',
      'both user ann',
      'both user sam',
      'source user nobody-here',
    ];
    const first = await readers();
    expect(first.told.filter(([row]) => /folder|Team/.test(row))).toEqual([
      ['folder INBOX', 'MailFolder', ['both user ann']],
      ['folder Team', 'MailFolder', everyone],
      [expect.stringMatching(/^message Team;/), 'MailMessage', everyone],
    ]);
    expect(first.items).toHaveLength(6);
    const team = first.items.find(({ row }) => row === 'folder Team');
    expect(team).toMatchObject({ isTold: true, narrowedBy: null, principalsTotal: 4 });
    const [uid, eve] = [team?.node.uid ?? '', at.people.uid('eve')];
    const { teams, users } = await admin.access.getNode(uid);
    const sam = at.people.uid('sam');
    await admin.access.putNode(uid, { teams, users: [...users.filter((u) => u !== sam), eve] });
    const { told } = await readers();
    expect(told.find(([row]) => row === 'folder Team')?.[2]).toEqual([
      'both team north',
      'both user ann',
      'here user eve',
      'source user nobody-here',
      'source user sam',
    ]);
    await admin.access.putNode(uid, { teams, users });
    const page = await admin.connectors.access(id, { skip: 1, take: 1 });
    expect(page).toMatchObject({ total: 6, skip: 1, take: 1, items: [first.items[1]] });
    const path = `/api/connectors/${id}/access`;
    expect(await at.people.outcome('ann', 'GET', path)).toEqual([403, 'forbidden']);
    const large = await at.people.outcome('admin', 'GET', `${path}?take=101`);
    expect(large).toEqual([400, 'invalid_request']);
  });

  test('brings what is new, takes back what is gone, and follows who may read', async () => {
    const [{ id } = { id: '' }] = (await admin.connectors.list()).items;
    await mail.as('ann', async (box) => {
      await box.mailboxOpen('INBOX');
      await box.messageDelete({ header: { 'message-id': 'b@x' } });
      await box.append('INBOX', letter({ id: 'd', before: 'a', subject: 'AW: Trip', text: 'No.' }));
    });
    expect(await run(id)).toMatchObject({
      state: 'succeeded',
      report: { rejected: 0, removed: 2 },
    });
    expect(await subjects()).toEqual(['AW: Trip', 'Big', 'Plan', 'Trip']);
    expect(await fieldOf('MailThread', 'Subject')).toEqual(['Big', 'Plan', 'Trip']);

    await mail.allow('ann', 'Team', 'user=sam', 'lookup');
    await mail.allow('ann', 'Team', 'user=eve', 'lookup read');
    expect(await run(id)).toMatchObject({ state: 'succeeded' });
    expect([await subjects('sam'), await subjects('eve')]).toEqual([[], ['Plan']]);
    expect(await fieldOf('MailThread', 'Subject', 'sam')).toEqual([]);
    expect((await run(id, true))?.report).toMatchObject({ operations: 0 });

    // Numbered again: the same messages under other numbers.
    await mail.as('ann', async (box) => {
      await box.mailboxDelete('Team');
      await box.mailboxCreate('Team');
      await box.append('Team', letter({ id: 'n', subject: 'New plan', text: 'None.' }));
    });
    expect(await run(id)).toMatchObject({ state: 'succeeded' });
    expect(await subjects()).toEqual(['AW: Trip', 'Big', 'New plan', 'Trip']);
    // Who may read the new folder is told anew: nobody but its owner.
    expect(await subjects('eve')).toEqual([]);
  });

  test('takes nothing back for a folder that the server fails to search', async () => {
    let opened = '';
    let fault: 'search' | 'fetch' | undefined;
    await using proxy = await startMeddling(mail.port, () => (from, bytes) => {
      const text = bytes.toString('latin1');
      if (from === 'server') {
        // That somebody has read it is told between the answers.
        const told =
          fault === 'fetch' ? text.replace(/^(\* 1 FETCH .*ENVELOPE.*\)\r\n)/m, `$1${SEEN}`) : text;
        return Buffer.from(told, 'latin1');
      }
      if (/ (?:EXAMINE|SELECT) /.test(text)) opened = text;
      const isFailing = fault === 'search' && opened.includes('Team');
      const said = isFailing ? text.replace('SEARCH ALL', 'SEARCH FAULT') : text;
      return Buffer.from(said, 'latin1');
    });
    const url = `imap://127.0.0.1:${proxy.port}`;
    const { fetchAllowList } = await admin.workspace.getSettings();
    await admin.workspace.putSettings({ fetchAllowList: [...fetchAllowList, url] });
    const given = { ...source, url };
    const { id } = await admin.connectors.create({
      name: 'fault',
      source: given,
      secret: PASSWORD,
    });
    fault = 'fetch';
    expect(await run(id)).toMatchObject({ state: 'succeeded', report: { rejected: 0 } });
    const before = await subjects();
    expect(before.length).toBe(8);
    expect(before).not.toContain('');
    fault = 'search';
    const { state, error } = (await run(id)) ?? {};
    expect(state).toBe('failed');
    expect(error?.message).toContain('does not say what is in "Team"');
    expect(await subjects()).toEqual(before);
  });

  test('what cannot be read is told, without the password', async () => {
    const secure = { ...source, url: `imaps://127.0.0.1:${mail.securePort}` };
    const cases = [
      { secret: 'wrong-password', says: 'refuses user and password' },
      { source: { ...source, folder: 'Nowhere' }, says: 'no folder "Nowhere"' },
      { source: secure, says: 'self-signed' },
      { source: { ...source, tls: true }, says: 'self-signed' },
      { source: { ...source, owner: 'nobody' }, says: 'no user "nobody"', isRun: true },
    ];
    for (const { says, isRun = false, ...given } of cases) {
      const asked = { name: says, source, secret: PASSWORD, ...given };
      const { id } = await admin.connectors.create(asked);
      const { message = '' } = isRun
        ? ((await run(id))?.error ?? {})
        : await admin.connectors.test({ id, source: asked.source });
      expect(message).toContain(says);
      expect(message).not.toContain(asked.secret);
    }
  });
});

const SEEN = '* 1 FETCH (UID 1 FLAGS (\\Seen))\r\n';

interface Letter {
  readonly id: string;
  readonly subject: string;
  readonly text: string;
  readonly before?: string;
  readonly file?: string;
}

function letter({ id, subject, text, before, file }: Letter): string {
  const attachment = [
    '--b',
    'Content-Type: text/plain; name=animals.txt',
    'Content-Disposition: attachment',
    '',
    file,
  ];
  return [
    'From: Ann <ann@example.com>',
    'To: Sam <sam@example.com>',
    `Message-ID: <${id}@x>`,
    ...(before === undefined ? [] : [`In-Reply-To: <${before}@x>`]),
    `Subject: ${subject}`,
    'Date: Sat, 28 Nov 2026 10:00:00 +0000',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain; charset=utf-8',
    '',
    text,
    ...(file === undefined ? [] : attachment),
    '--b--',
    '',
  ].join('\r\n');
}
