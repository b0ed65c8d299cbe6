import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refusalOf } from '../support/admin-agent-scene.ts';
import { field } from '../support/http-client.ts';
import { FileScene } from '../support/file-scene.ts';

const NOBODY = '1111111111111111111111';

let at: FileScene;
beforeAll(async () => {
  at = await FileScene.start();
});
afterAll(() => at[Symbol.asyncDispose]());

const content = (uid: string, headers: Record<string, string> = {}, as = 'ann') =>
  at.send(`/api/files/${uid}/content`, { headers }, as);

async function hasNothingLeft(): Promise<void> {
  const counts = ['_FileEntry', '_FileChunk', '_FileUpload'].map((type) => at.count(type));
  expect(await Promise.all(counts)).toEqual([0, 0, 0]);
}

describe('a file of a node', () => {
  test('is listed, read, downloaded as it is, deleted, and in the audit', async () => {
    const text = 'Hafen,harbour\n'.repeat(200_000);
    const response = await at.upload(at.notes.open, 'Wörter 1.csv', text, 'text/csv;header=x');
    const size = Buffer.byteLength(text);
    const entry = { Size: size, ContentType: 'text/csv', Name: 'Wörter 1.csv' };
    const { UID, ...answered } = Object(await response.json());
    expect([response.status, answered]).toEqual([201, entry]);
    const sha256 = createHash('sha256').update(text).digest('hex');
    const { user } = await at.ok('admin', 'GET', '/api/login/check');
    const file = { ...entry, UID, Sha256: sha256, UploadedBy: user.uid };
    const list = await at.ok('ann', 'GET', `/api/node/${at.notes.open}/files`);
    expect(list).toMatchObject({ items: [file], total: 1, skip: 0, take: 50 });
    expect(await at.ok('bob', 'GET', `/api/files/${UID}`)).toMatchObject(file);
    const download = await content(UID);
    expect(download.headers.get('content-length')).toBe(String(size));
    expect(await download.text()).toBe(text);
    expect((await at.send(`/api/files/${UID}`, { method: 'DELETE' })).status).toBe(204);
    expect((await content(UID)).status).toBe(404);
    for (const action of ['file.uploaded', 'file.deleted']) {
      const { items } = await at.ok('admin', 'GET', `/api/audit?action=${action}`);
      expect(items[0]).toMatchObject({ target: { id: at.notes.open, name: 'Wörter 1.csv' } });
    }
    await hasNothingLeft();
  });

  test('of a name that is taken is refused with the one that is there', async () => {
    const uid = await at.uploaded(at.notes.open, 'a.txt', 'one');
    expect(await refusalOf(await at.upload(at.notes.open, 'a.txt', 'another'))).toMatchObject({
      status: 409,
      code: 'file_exists',
      details: { entry: { UID: uid, Size: 3, ContentType: 'text/plain', Name: 'a.txt' } },
    });
    const begun = { name: 'a.txt', size: 1 };
    const other = await at.people.as('admin', 'POST', `/api/node/${at.notes.open}/uploads`, begun);
    expect(other.status).toBe(409);
    expect(await (await content(uid)).text()).toBe('one');
    await at.ok('admin', 'DELETE', `/api/files/${uid}`);
  });

  test('goes with its node, and with all its pieces', async () => {
    await at.ok('admin', 'POST', '/api/ingest', {
      operations: [{ op: 'addOrUpdate', type: 'Note', key: 'gone', fields: { Text: 'x' } }],
    });
    const query = await at.ok('admin', 'POST', '/api/node/query', { type: 'Note' });
    const items: { Id: string; UID: string }[] = query.items;
    const node = String(items.find(({ Id }) => Id === 'gone')?.UID);
    const uid = await at.uploaded(node, 'a.bin', new Uint8Array(2_500_000));
    await at.uploaded(node, 'b.bin', new Uint8Array(10));
    expect(await at.count('_FileChunk')).toBe(4);
    const operations = [{ op: 'delete', type: 'Note', key: 'gone' }];
    expect(await at.ok('admin', 'POST', '/api/ingest', { operations })).toMatchObject({ nodes: 1 });
    expect((await content(uid, {}, 'admin')).status).toBe(404);
    await hasNothingLeft();
  });

  test('is for whoever sees its node: to others it is not there, in any way', async () => {
    const uid = await at.uploaded(at.notes.kept, 'plan.txt', 'secret');
    expect(await (await content(uid)).text()).toBe('secret');
    expect(await (await content(uid, {}, 'auditor')).text()).toBe('secret');
    expect(await at.ok('ann', 'GET', `/api/node/${uid}`)).toMatchObject({ Name: 'plan.txt' });
    const paths = [`/api/files/UID/content`, '/api/files/UID', '/api/node/UID'];
    for (const path of paths) {
      const [hidden, missing] = await Promise.all(
        [uid, NOBODY].map((one) => at.people.as('bob', 'GET', path.replace('UID', one))),
      );
      expect([hidden?.status, Object(hidden?.json).error]).toEqual([
        404,
        Object(missing?.json).error,
      ]);
    }
    const list = await at.people.as('bob', 'GET', `/api/node/${at.notes.kept}/files`);
    expect([list.status, Object(list.json).error.code]).toEqual([404, 'node_not_found']);
    const totals = ['ann', 'bob'].map(async (name) => {
      const { total } = await at.ok(name, 'POST', '/api/node/query', { type: '_FileEntry' });
      return total;
    });
    expect(await Promise.all(totals)).toEqual([1, 0]);
    const uids = [uid];
    expect(await at.ok('bob', 'POST', '/api/node/many/full', { uids })).toEqual([null]);
    await at.ok('admin', 'DELETE', `/api/files/${uid}`);
  });

  test('is uploaded and deleted by administrators who write and by tokens that ingest', async () => {
    const uid = await at.uploaded(at.notes.open, 'a.txt', 'a');
    for (const name of ['ann', 'auditor']) {
      expect((await at.upload(at.notes.open, 'b.txt', 'b', 'text/plain', name)).status).toBe(403);
      expect((await at.people.as(name, 'DELETE', `/api/files/${uid}`)).status).toBe(403);
    }
    const body = { kind: 'api', name: 'files', scopes: ['ingestion'] };
    const { token } = await at.ok('admin', 'POST', '/api/tokens', body);
    const form = new FormData();
    form.set('file', new Blob(['c']), 'c.txt');
    const post = (node: string) =>
      fetch(new URL(`/api/node/${node}/files`, at.workspace.server.url), {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: form,
      });
    expect((await post(at.notes.open)).status).toBe(201);
    expect((await post(at.notes.kept)).status).toBe(404);
    const { items } = await at.ok('ann', 'GET', `/api/node/${at.notes.open}/files`);
    expect(items).toMatchObject([{ Name: 'a.txt' }, { Name: 'c.txt', UploadedBy: null }]);
    for (const { UID } of items) await at.ok('admin', 'DELETE', `/api/files/${UID}`);
  });

  test('is not for nodes of the server, nor are files of the admin agent', async () => {
    const refused = await at.upload(at.people.uid('ann'), 'a.txt', 'a');
    expect(await refusalOf(refused)).toMatchObject({ status: 400, code: 'invalid_request' });
    const { id } = await at.ok('admin', 'POST', '/api/admin-agent/sessions');
    const form = new FormData();
    form.set('file', new Blob(['c']), 'c.txt');
    const path = `/api/admin-agent/sessions/${id}/uploads`;
    const entry = await (await at.send(path, { method: 'POST', body: form })).json();
    expect((await content(Object(entry).UID, {}, 'admin')).status).toBe(404);
    await at.ok('admin', 'DELETE', `/api/admin-agent/sessions/${id}`);
    await hasNothingLeft();
  });

  test.each(['../a', 'a/b', 'a\\b', '..', '  ', 'a\u2028b', 'a'.repeat(201)])(
    'is not called %j',
    async (name) => {
      const refused = await refusalOf(await at.upload(at.notes.open, name, 'a'));
      expect(refused).toMatchObject({ status: 400, code: 'invalid_request' });
      await hasNothingLeft();
    },
  );
});

describe('a download', () => {
  test.each<[string, string, string]>([
    ['text/html', 'application/octet-stream', 'attachment'],
    ['image/svg+xml', 'application/octet-stream', 'attachment'],
    ['text/javascript', 'application/octet-stream', 'attachment'],
    ['application/pdf', 'application/octet-stream', 'attachment'],
    ['image/png', 'image/png', 'inline'],
    ['text/plain', 'text/plain; charset=utf-8', 'inline'],
  ])('of %s runs nothing in a browser', async (given, type, disposition) => {
    const name = 'a "b"; x=\'é\'.html';
    const text = '<script>alert(1)</script>';
    // A form would escape the quotation mark.
    const upload = { name, size: text.length, contentType: given };
    const { id } = await at.ok('admin', 'POST', `/api/node/${at.notes.open}/uploads`, upload);
    const uid = field((await at.append(id, 0, text)).json, 'file', 'UID');
    const { headers } = await content(uid);
    expect(headers.get('content-type')).toBe(type);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('content-disposition')).toBe(
      `${disposition}; filename="a _b__ x____.html"; filename*=UTF-8''a%20%22b%22%3B%20x%3D%27%C3%A9%27.html`,
    );
    await at.ok('admin', 'DELETE', `/api/files/${uid}`);
  });

  test('gives the range that is asked for, wherever pieces begin', async () => {
    const bytes = new Uint8Array(2 * 1024 * 1024 + 7).map((_, index) => (index * 31) % 251);
    const uid = await at.uploaded(at.notes.open, 'a.bin', bytes, 'application/x-thing');
    const size = bytes.length;
    const edge = 1024 * 1024;
    const cases: readonly (readonly [string, number, number])[] = [
      ['bytes=0-0', 0, 1],
      [`bytes=${edge - 1}-${edge}`, edge - 1, edge + 1],
      [`bytes=5-${size + 100}`, 5, size],
      [`bytes=${size - 1}-`, size - 1, size],
      ['bytes=-9', size - 9, size],
      [`bytes=-${size * 2}`, 0, size],
    ];
    for (const [range, from, to] of cases) {
      const response = await content(uid, { range });
      expect([response.status, response.headers.get('content-range')], range).toEqual([
        206,
        `bytes ${from}-${to - 1}/${size}`,
      ]);
      const part = new Uint8Array(await response.arrayBuffer());
      expect(Buffer.from(part).equals(bytes.subarray(from, to)), range).toBe(true);
    }
    for (const range of ['bytes=9-5', 'bytes=0-1,3-4', 'lines=1-2', 'bytes=-', 'bytes=a-b']) {
      const response = await content(uid, { range });
      expect([response.status, (await response.arrayBuffer()).byteLength], range).toEqual([
        200,
        size,
      ]);
    }
    for (const range of [`bytes=${size}-`, 'bytes=-0']) {
      expect(await refusalOf(await content(uid, { range })), range).toMatchObject({
        status: 416,
        code: 'range_not_satisfiable',
        details: { size },
      });
    }
    await at.ok('admin', 'DELETE', `/api/files/${uid}`);
  });

  test('is nothing for who has it already, and whole for who has another one', async () => {
    const uid = await at.uploaded(at.notes.open, 'a.txt', 'abc');
    const etag = String((await content(uid)).headers.get('etag'));
    const known = await content(uid, { 'if-none-match': `"x", ${etag}` });
    expect([known.status, await known.text()]).toEqual([304, '']);
    const range = 'bytes=1-1';
    expect((await content(uid, { range, 'if-range': etag })).status).toBe(206);
    const other = await content(uid, { range, 'if-range': '"other"' });
    expect([other.status, await other.text()]).toEqual([200, 'abc']);
    const head = await at.send(`/api/files/${uid}/content`, { method: 'HEAD' }, 'ann');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '3']);
    await at.ok('admin', 'DELETE', `/api/files/${uid}`);
  });

  test('of an empty file is empty', async () => {
    const uid = await at.uploaded(at.notes.open, 'empty', '');
    const response = await content(uid);
    expect([response.status, await response.text()]).toEqual([200, '']);
    await at.ok('admin', 'DELETE', `/api/files/${uid}`);
  });
});
