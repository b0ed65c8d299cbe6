import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { readersByRow, runToEnd } from '../support/connector-runs.ts';
import { requireApache } from '../support/requires.ts';
import { ConnectorScene } from './connector-scene.ts';
import { type DavTestServer, startDav } from './dav-server.ts';

const PASSWORD = 'quokka-on-the-island';

describe.skipIf(requireApache())('a server of WebDAV', () => {
  let at: ConnectorScene;
  let dav: DavTestServer;
  let admin: TrellisClient;
  let source: Extract<
    Parameters<TrellisClient['connectors']['create']>[0]['source'],
    { kind: 'webdav' }
  >;
  /** What a server answers that a test is one itself. */
  let answer: RequestListener = (_request, response) => void response.end();
  const hostile = createServer((request, response) => answer(request, response));
  let hostileOrigin: string;

  beforeAll(async () => {
    at = await ConnectorScene.start();
    const ann = await at.people.add('ann');
    for (const name of ['sam', 'eve']) await at.people.add(name);
    await at.people.addTeam('north', { add: [ann] });
    dav = await startDav({ reader: PASSWORD, other: 'wombat' });
    hostile.listen(0, '127.0.0.1');
    await once(hostile, 'listening');
    hostileOrigin = `http://127.0.0.1:${(hostile.address() as AddressInfo).port}`;
    const baseUrl = at.people.workspace.server.url;
    admin = new TrellisClient({ baseUrl, token: at.people.token('admin') });
    await admin.workspace.putSettings({ fetchAllowList: [dav.origin, hostileOrigin] });
    source = {
      kind: 'webdav',
      url: dav.url,
      user: 'reader',
      fileBytesMax: 1_000,
      access: 'rules',
      rules: [
        { path: '/', teams: [], users: ['sam'] },
        { path: '/staff', teams: ['north', 'nobodys'], users: [] },
        { path: '/staff/lost', teams: ['nobodys'], users: [] },
        { path: '/stuff', teams: ['north'], users: [] },
      ],
    };
    for (const path of ['/staff', '/staff/lost', '/Über%20uns'])
      await dav.send('reader', 'MKCOL', path);
    const files = {
      '/readme.txt': 'A quokka lives here.',
      '/big.txt': 'x'.repeat(2_000),
      '/empty.txt': '',
      '/staff/plan.txt': 'To the lighthouse.',
      '/staff/lost/gone.txt': 'Nobody sees it.',
      '/%C3%9Cber%20uns/100%25%20%26%20more.txt': 'An okapi.',
    };
    for (const [path, text] of Object.entries(files)) {
      expect(await dav.send('reader', 'PUT', path, text), path).toBe(201);
    }
  });
  afterAll(async () => {
    hostile.closeAllConnections();
    hostile.close();
    await dav[Symbol.asyncDispose]();
    await at[Symbol.asyncDispose]();
  });

  const run = (id: string, full = false) => runToEnd(admin, id, full);

  const paths = async (type: string, as = 'admin', of = dav.origin) =>
    Object.values(await at.nodes(type, as))
      .filter(({ Id }) => String(Id).startsWith(new URL(of).host))
      .map((node) => node['Path'])
      .toSorted();

  async function found(query: string, as = 'admin'): Promise<unknown[]> {
    const path = '/api/endpoints/run/system/search';
    const { json } = await at.people.as(as, 'POST', path, { query });
    return Object(json).hits.map((hit: object) => String(Object(Object(hit).node).Name));
  }

  test('comes with folders and files for those whom rules name, then with what has changed', async () => {
    // The file that was written last; its version stays from then on.
    const last = '/%C3%9Cber%20uns/100%25%20%26%20more.txt';
    await expect.poll(() => dav.tagOf('reader', last)).toMatch(/^"/);
    const { id } = await admin.connectors.create({ name: 'files', source, secret: PASSWORD });
    expect(await admin.connectors.test({ id, source })).toEqual({
      isReachable: true,
      message: 'A folder with 2 folders and 3 files right in it',
    });
    const first = await run(id);
    expect(first).toMatchObject({ error: null, state: 'succeeded', report: { rejected: 0 } });
    expect(first?.log.map(({ text }) => text)).toContain(
      '2 are left out, as nobody here may see them',
    );
    const warnings = first?.log.filter(({ text }) => text.startsWith('Warning'));
    expect(warnings?.map(({ text }) => text)).toEqual([
      'Warning: the rule for "/stuff" leads to nothing that is there',
    ]);
    expect(await readersByRow(admin, id)).toMatchObject({
      'folder ': ['both user sam'],
      'file readme.txt': ['both user sam'],
      'folder staff': ['source team nobodys', 'both team north'],
      'file staff/plan.txt': ['source team nobodys', 'both team north'],
    });
    expect(await paths('DavFolder')).toEqual(['/', '/staff', '/Über uns']);
    expect(await paths('DavFile')).toEqual([
      '/big.txt',
      '/empty.txt',
      '/readme.txt',
      '/staff/plan.txt',
      '/Über uns/100% & more.txt',
    ]);
    expect(await paths('DavFile', 'ann')).toEqual(['/staff/plan.txt']);
    expect(await paths('DavFile', 'sam')).toHaveLength(4);
    expect(await paths('DavFile', 'eve')).toEqual([]);
    await expect.poll(() => found('okapi', 'sam')).toEqual(['100% & more.txt']);
    expect(await found('okapi', 'ann')).toEqual([]);
    expect(await found('xxx*')).toEqual([]);
    expect((await run(id))?.report).toMatchObject({ operations: 0, rejected: 0 });
    expect((await run(id, true))?.report).toMatchObject({ operations: 0 });

    await dav.send('reader', 'PUT', '/readme.txt', 'A wombat lives here now.');
    await dav.send('reader', 'DELETE', '/empty.txt');
    await dav.send('reader', 'PUT', '/new.txt', 'New.');
    const { report } = (await run(id)) ?? {};
    expect(report?.changes).toEqual(
      expect.arrayContaining([
        { row: 'file new.txt', change: 'added' },
        { row: 'content readme.txt', change: 'changed' },
        { row: 'file empty.txt', change: 'removed' },
      ]),
    );
    await expect.poll(() => found('wombat')).toEqual(['readme.txt']);
    expect(await found('quokka')).toEqual([]);

    // Another rule, and everything moves with it.
    const rules = [...source.rules, { path: '/Über uns', teams: ['north'], users: [] }];
    await admin.connectors.update(id, { name: 'files', source: { ...source, rules } });
    expect(await run(id)).toMatchObject({ error: null, state: 'succeeded' });
    expect(await paths('DavFile', 'ann')).toHaveLength(2);
    expect(await found('okapi', 'sam')).toEqual([]);
  });

  test('what the account of the connector may not read is left out, and told', async () => {
    const given = { ...source, user: 'other', access: 'everybody' as const, rules: [] };
    const { id } = await admin.connectors.create({ name: 'o', source: given, secret: 'wombat' });
    const last = await run(id);
    expect(last).toMatchObject({ error: null, report: { rejected: 0 } });
    expect(last?.log.map(({ text }) => text)).toContain(
      '"staff" is left out: the server answers 401',
    );
    expect(await paths('DavFile', 'eve')).toContain('/readme.txt');
    const cases = [
      { secret: 'wrong-password', says: 'refuses user and password' },
      { source: { ...source, url: `${dav.url}/nowhere` }, says: 'answers 404' },
      { source: { ...source, access: 'server' as const }, says: 'no access lists' },
    ];
    for (const { says, ...asked } of cases) {
      const made = { name: says, source, secret: PASSWORD, ...asked };
      const one = await admin.connectors.create(made);
      const tried = await admin.connectors.test({ id: one.id, source: made.source });
      expect(tried).toMatchObject({ isReachable: false });
      expect(tried.message).toContain(says);
      expect(tried.message).not.toContain(made.secret);
    }
  });

  test('carries over the access lists of a server that has some', async () => {
    const acls: Record<string, string> = {
      '/dav/': grant('<D:all/>'),
      '/dav/a.txt': grant('<D:href>/principals/users/ann/</D:href>'),
      '/dav/b.txt': grant('<D:href>/principals/groups/north</D:href>'),
      '/dav/c.txt': grant('<D:all/>') + ace('deny', '<D:href>/principals/users/sam/</D:href>'),
      '/dav/d.txt': grant('<D:property><D:owner/></D:property>'),
      '/dav/e.txt': grant('<D:authenticated/>'),
      '/dav/f.txt': grant('<D:href>/principals/users/hidden/</D:href>'),
    };
    answer = (request, response) => {
      const { pathname } = new URL(request.url ?? '', hostileOrigin);
      if (request.method === 'GET') return void response.end(`Text of ${pathname}`);
      if (pathname.includes('hidden')) return void response.writeHead(403).end();
      const isGroup = pathname.includes('groups');
      const principal = `<D:resourcetype><D:principal/></D:resourcetype>${isGroup ? '<D:group-member-set><D:href>/x</D:href></D:group-member-set>' : ''}`;
      const listed = Object.entries(acls).map(([href, acl]) =>
        resource(
          href,
          `<D:resourcetype>${href.endsWith('/') ? '<D:collection/>' : ''}</D:resourcetype><D:getetag>"1"</D:getetag><D:owner><D:href>/principals/users/sam/</D:href></D:owner><D:acl>${acl}</D:acl>`,
        ),
      );
      const isPrincipal = pathname.startsWith('/principals/');
      response.writeHead(207);
      response.end(multistatus(isPrincipal ? [resource(pathname, principal)] : listed));
    };
    const given = { ...source, url: `${hostileOrigin}/dav`, access: 'server' as const, rules: [] };
    const { id } = await admin.connectors.create({ name: 'acl', source: given });
    expect(await run(id)).toMatchObject({
      error: null,
      state: 'succeeded',
      report: { rejected: 0 },
    });
    const seen = (as: string) => paths('DavFile', as, hostileOrigin);
    expect(await seen('admin')).toEqual(['/a.txt', '/b.txt', '/d.txt']);
    expect(await seen('ann')).toEqual(['/a.txt', '/b.txt']);
    expect(await seen('sam')).toEqual(['/d.txt']);
    expect(await seen('eve')).toEqual([]);
  });

  test('what a hostile server answers ends the run, and takes nothing back', async () => {
    const listing = (hrefs: readonly string[]) =>
      multistatus(
        hrefs.map((href) =>
          resource(
            href,
            href.endsWith('/')
              ? '<D:resourcetype><D:collection/></D:resourcetype>'
              : '<D:resourcetype/><D:getetag>"1"</D:getetag>',
          ),
        ),
      );
    const good = listing(['/evil/', '/evil/a.txt', '/evil/b.txt']);
    const says =
      (text: string, status = 207): RequestListener =>
      (request, response) => {
        if (request.method === 'GET') response.end('fine');
        else response.writeHead(status).end(text);
      };
    answer = says(good);
    const given = {
      ...source,
      url: `${hostileOrigin}/evil`,
      access: 'everybody' as const,
      rules: [],
    };
    const { id } = await admin.connectors.create({ name: 'evil', source: given });
    expect(await run(id)).toMatchObject({ error: null, state: 'succeeded' });
    const before = await paths('DavFile', 'admin', hostileOrigin);
    expect(before.slice(-2)).toEqual(['/b.txt', '/d.txt']);
    const dtd = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>';
    const cases: readonly (readonly [RequestListener, RegExp])[] = [
      [says(dtd + good), /type of documents/],
      [says(good.slice(0, -20)), /cut off/],
      [says(listing(['/evil/', '/evil/a.txt']).replace('</D:multistatus>', '')), /cut off/],
      [says('<html/>'), /none of WebDAV/],
      [says('<x>'.repeat(1_000)), /none of WebDAV/],
      [says(`<D:multistatus xmlns:D="DAV:">${'<D:x>'.repeat(100)}`), /too deep/],
      [says(`<D:multistatus xmlns:D="DAV:"><D:response>${'x'.repeat(20_000)}`), /too long/],
      [says(good, 500), /answers 500/],
      [says(listing(['/evil/', '/evil/../../etc/passwd'])), /not in it/],
      [says(listing(['/evil/', '/evil/deep/er.txt'])), /not in it/],
      [says(listing(['/evil/a.txt'])), /as a folder/],
      [redirect('http://127.0.0.1:1/evil/'), /fetchAllowList/],
      [redirect('/evil/'), /redirects without end/],
      // Folders in folders without end.
      [
        (request, response) =>
          says(listing([`${request.url}`, `${request.url}x/`]))(request, response),
        /below more than/,
      ],
      [(_request, response) => void response.writeHead(207).write('<'), /cancelled/],
    ];
    for (const [one, told] of cases) {
      answer = one;
      if (told.source === 'cancelled') {
        await admin.connectors.run(id, {});
        await admin.connectors.cancel(id);
        await expect
          .poll(async () => (await admin.connectors.get(id)).lastRun?.state)
          .toBe('cancelled');
        continue;
      }
      const last = await run(id);
      expect(last, String(told)).toMatchObject({ state: 'failed' });
      expect(last?.error?.message).toMatch(told);
    }
    expect(await paths('DavFile', 'admin', hostileOrigin)).toEqual(before);
    // A file that never ends comes without what is in it.
    answer = (request, response) => {
      if (request.method !== 'GET')
        return says(listing(['/evil/', '/evil/a.txt', '/evil/n.txt']))(request, response);
      const more = (): void => {
        if (!response.destroyed) response.write('x'.repeat(500), () => setImmediate(more));
      };
      more();
    };
    expect(await run(id)).toMatchObject({
      error: null,
      state: 'succeeded',
      report: { rejected: 0 },
    });
    expect(await paths('DavFile', 'admin', hostileOrigin)).toContain('/n.txt');
  });
});

function redirect(location: string): RequestListener {
  return (_request, response) => void response.writeHead(302, { location }).end();
}

function ace(what: 'grant' | 'deny', principal: string): string {
  return `<D:ace><D:principal>${principal}</D:principal><D:${what}><D:privilege><D:read/></D:privilege></D:${what}></D:ace>`;
}

function grant(principal: string): string {
  return ace('grant', principal);
}

function resource(href: string, properties: string): string {
  return `<D:response><D:href>${href}</D:href><D:propstat><D:prop>${properties}</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>`;
}

function multistatus(resources: readonly string[]): string {
  return `<?xml version="1.0"?><D:multistatus xmlns:D="DAV:">${resources.join('')}</D:multistatus>`;
}
