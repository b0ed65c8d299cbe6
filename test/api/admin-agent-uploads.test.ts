import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UPLOAD_BYTES_MAX } from '@trellis/contract/limits.ts';
import { AdminAgentScene, FORM_BYTES, refusalOf } from '../support/admin-agent-scene.ts';
import { calls, says } from '../support/llm-server.ts';

let at: AdminAgentScene;
beforeAll(async () => {
  at = await AdminAgentScene.start();
});
afterAll(async () => {
  await at[Symbol.asyncDispose]();
});

async function read(session: string, path: string, offset = 0): Promise<string> {
  at.script(calls(['read_file', { path, offset }]), says('Read.'));
  expect((await at.ask(session)).status).toBe(200);
  return at.toolText;
}

describe('a file', () => {
  test('is kept with its conversation, read by the agent, and deleted with it', async () => {
    const session = await at.begin();
    const text = 'word;meaning\nträd;tree 🌳\n';
    const answer = await at.upload(session, 'Wörter 1.csv', text, 'text/csv');
    const entry = {
      UID: expect.any(String),
      Size: Buffer.byteLength(text),
      ContentType: 'text/csv',
    };
    expect([answer.status, await answer.json()]).toEqual([201, entry]);
    const path = '/home/uploads/Wörter 1.csv';
    const { uploads } = await at.ok('admin', 'GET', session);
    expect(uploads).toEqual([{ ...entry, name: 'Wörter 1.csv', path }]);
    expect(await read(session, path)).toBe(text);
    const node = await at.ok('admin', 'GET', `/api/node/${uploads[0].UID}`);
    expect(node).toMatchObject({
      Type: '_FileEntry',
      Name: 'Wörter 1.csv',
      Path: path,
      Sha256: createHash('sha256').update(text).digest('hex'),
    });
    expect((await at.people.as('ann', 'GET', `/api/node/${uploads[0].UID}`)).status).toBe(404);
    const audit = await at.ok('admin', 'GET', '/api/audit?action=file.uploaded');
    expect(audit.items[0]).toMatchObject({ target: { name: 'Wörter 1.csv' } });
    await at.ok('admin', 'DELETE', session);
    expect([await at.count('_FileEntry'), await at.count('_FileChunk')]).toEqual([0, 0]);
  });

  test('of the same name is refused with the one that is there', async () => {
    const session = await at.begin();
    await at.upload(session, 'a.txt', 'one');
    const { uploads } = await at.ok('admin', 'GET', session);
    const refused = await refusalOf(await at.upload(session, 'a.txt', 'another'));
    expect(refused).toMatchObject({ status: 409, code: 'file_exists' });
    expect(refused.details).toEqual({ entry: uploads[0] });
    expect(await read(session, '/home/uploads/a.txt')).toBe('one');
    const other = await at.begin();
    expect((await at.upload(other, 'a.txt', 'two')).status).toBe(201);
    expect(await read(other, '/home/uploads/a.txt')).toBe('two');
    await at.ok('admin', 'DELETE', session);
    await at.ok('admin', 'DELETE', other);
  });

  test('uploaded twice at a time is there once, and whole', async () => {
    const session = await at.begin();
    const texts = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(2_000_000));
    const answers = await Promise.all(texts.map((text) => at.upload(session, 'big.txt', text)));
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([201, 409, 409, 409]);
    const winner = texts[answers.findIndex(({ status }) => status === 201)];
    expect(await read(session, '/home/uploads/big.txt')).toContain(winner?.slice(0, 10_000));
    expect(await at.count('_FileChunk')).toBe(2);
    await at.ok('admin', 'DELETE', session);
  });

  test('is read page by page, and said to be none of text', async () => {
    const session = await at.begin();
    await at.upload(session, 'long.txt', 'ä'.repeat(100_000));
    const page = await read(session, '/home/uploads/long.txt', 99_998);
    expect(page).toBe('ää');
    expect(await read(session, '/home/uploads/long.txt')).toContain('There are 100000 characters');
    await at.upload(session, 'image.png', new Uint8Array([0x89, 0x50, 0, 0xff]), 'image/png');
    expect(await read(session, '/home/uploads/image.png')).toBe(
      'It is no text: image/png, 4 bytes.',
    );
    await at.ok('admin', 'DELETE', session);
  });

  test('may be empty, and as large as the limit says, and no larger', async () => {
    const session = await at.begin();
    expect(await (await at.upload(session, 'empty', '')).json()).toMatchObject({ Size: 0 });
    expect(await read(session, '/home/uploads/empty')).toBe('');
    const largest = await at.upload(session, 'largest', new Uint8Array(UPLOAD_BYTES_MAX));
    expect(await largest.json()).toMatchObject({ Size: UPLOAD_BYTES_MAX });
    const larger = await at.upload(session, 'larger', new Uint8Array(UPLOAD_BYTES_MAX + 1));
    expect(await refusalOf(larger)).toMatchObject({
      status: 413,
      code: 'body_too_large',
      details: { limitBytes: UPLOAD_BYTES_MAX },
    });
    expect(await at.count('_FileEntry')).toBe(2);
    await at.ok('admin', 'DELETE', session);
    expect(await at.count('_FileChunk')).toBe(0);
  });
});

describe('an upload is refused', () => {
  test.each([
    ['../../etc/passwd'],
    ['a/b.txt'],
    ['a\\b.txt'],
    ['..'],
    ['   '],
    ['line\u2028break'],
    ['a'.repeat(201)],
  ])('for the name %j', async (name) => {
    const session = await at.begin();
    const refused = await refusalOf(await at.upload(session, name, 'a'));
    expect(refused).toMatchObject({ status: 400, code: 'invalid_request' });
    expect((await at.ok('admin', 'GET', session)).uploads).toEqual([]);
  });

  test.each<[string, [string, string | Blob, string?][]]>([
    ['no part', []],
    ['a field and no file', [['file', 'text']]],
    [
      'a field before the file',
      [
        ['a', 'b'],
        ['file', new Blob(['a']), 'a.txt'],
      ],
    ],
    [
      'a field after the file',
      [
        ['file', new Blob(['a']), 'a.txt'],
        ['a', 'b'],
      ],
    ],
    [
      'two files',
      [
        ['file', new Blob(['a']), 'a.txt'],
        ['other', new Blob(['b']), 'b.txt'],
      ],
    ],
    ['a name of the language', [['__proto__', new Blob(['a']), 'a.txt']]],
  ])('for %s', async (_what, parts) => {
    const session = await at.begin();
    const body = new FormData();
    for (const [name, value, fileName] of parts) {
      if (value instanceof Blob) body.set(name, value, fileName);
      else body.set(name, value);
    }
    const response = await at.send(`${session}/uploads`, { method: 'POST', body });
    expect(await refusalOf(response)).toMatchObject({ status: 400 });
    expect((await at.ok('admin', 'GET', session)).uploads).toEqual([]);
  });

  test.each<[string, Record<string, string>, string, number, string]>([
    ['JSON', { 'content-type': 'application/json' }, '{}', 415, 'unsupported_media_type'],
    ['bytes', { 'content-type': 'application/octet-stream' }, 'a', 415, 'unsupported_media_type'],
    ['no boundary', { 'content-type': 'multipart/form-data' }, 'a', 400, 'malformed_request'],
    [
      'another boundary',
      { 'content-type': 'multipart/form-data; boundary=x' },
      '--y\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\na\r\n--y--\r\n',
      400,
      'malformed_request',
    ],
    [
      'a form without an end',
      { 'content-type': 'multipart/form-data; boundary=x' },
      '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\na',
      400,
      'malformed_request',
    ],
  ])('for %s', async (_what, headers, body, status, code) => {
    const session = await at.begin();
    const response = await at.send(`${session}/uploads`, { method: 'POST', headers, body });
    expect(await refusalOf(response)).toMatchObject({ status, code });
    expect((await at.ok('admin', 'GET', session)).uploads).toEqual([]);
  });

  test('and leaves nothing when it is cut in the middle', async () => {
    const session = await at.begin();
    const socket = await at.beginUpload(session, 'cut');
    socket.destroy();
    while ((await at.count('_FileChunk')) > 0);
    expect((await at.ok('admin', 'GET', session)).uploads).toEqual([]);
    expect((await at.upload(session, 'cut', 'whole')).status).toBe(201);
    await at.ok('admin', 'DELETE', session);
  });

  test('and leaves nothing when its conversation is deleted meanwhile', async () => {
    const session = await at.begin();
    const socket = await at.beginUpload(session, 'late');
    await at.ok('admin', 'DELETE', session);
    const head = '--x\r\ncontent-disposition: form-data; name="file"; filename="late"\r\n\r\n';
    const end = '\r\n--x--\r\n';
    socket.write(Buffer.alloc(FORM_BYTES - 5_000_000 - head.length - end.length, 'a'));
    socket.write(end);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toContain('HTTP/1.1 404');
    expect(answer.toString()).toContain('session_not_found');
    socket.destroy();
    expect(await at.count('_FileChunk')).toBe(0);
  });
});
