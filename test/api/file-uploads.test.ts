import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FileScene } from '../support/file-scene.ts';
import { field, HttpClient } from '../support/http-client.ts';
import { TrellisProcess } from '../support/trellis-process.ts';

const MB = 1024 * 1024;

let at: FileScene;
beforeAll(async () => {
  at = await FileScene.start();
});
afterAll(() => at[Symbol.asyncDispose]());

const begin = async (name: string, size: number, as = 'admin') =>
  at.ok(as, 'POST', `/api/node/${at.notes.open}/uploads`, {
    name,
    size,
    contentType: 'text/plain',
  });
const offsetOf = async (id: string): Promise<number> =>
  (await at.ok('admin', 'GET', `/api/uploads/${id}`)).offset;
const text = async (uid: string) => (await at.send(`/api/files/${uid}/content`)).text();

function bytesOf(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(length).map((_, index) => 97 + ((index * 7) % 26));
}

async function hasNothingLeft(): Promise<void> {
  const counts = ['_FileEntry', '_FileChunk', '_FileUpload'].map((type) => at.count(type));
  expect(await Promise.all(counts)).toEqual([0, 0, 0]);
}

test('an upload in parts of any length is the whole file', async () => {
  const bytes = bytesOf(3 * MB + 11);
  const { id, offset, file } = await begin('a.txt', bytes.length);
  expect([offset, file]).toEqual([0, null]);
  const ends = [10, 10, MB - 1, MB, 2 * MB + 5, bytes.length];
  let from = 0;
  let uid = '';
  for (const to of ends) {
    const { status, json } = await at.append(id, from, bytes.subarray(from, to));
    expect([status, Object(json).offset]).toEqual([200, to]);
    if (to < bytes.length) expect(await offsetOf(id)).toBe(to);
    else uid = field(json, 'file', 'UID');
    from = to;
  }
  expect(await text(uid)).toBe(Buffer.from(bytes).toString());
  expect((await at.people.as('admin', 'GET', `/api/uploads/${id}`)).status).toBe(404);
  await at.ok('admin', 'DELETE', `/api/files/${uid}`);
  await hasNothingLeft();
});

test('what has arrived when the connection breaks is kept, and the rest follows', async () => {
  const bytes = bytesOf(3 * MB);
  const { id } = await begin('broken.txt', bytes.length);
  const socket = await at.beginAppend(id, bytes.length, bytes.subarray(0, 2 * MB + 1_000));
  while ((await offsetOf(id)) < 2 * MB);
  expect((await at.append(id, 0, bytes)).status).toBe(409);
  socket.destroy();
  // The server takes a moment to see that nobody is there any more.
  await expect.poll(() => offsetOf(id)).toBe(2 * MB + 1_000);
  let ended = await at.append(id, 2 * MB + 1_000, bytes.subarray(2 * MB + 1_000));
  while (ended.status === 409) {
    ended = await at.append(id, 2 * MB + 1_000, bytes.subarray(2 * MB + 1_000));
  }
  const uid = field(ended.json, 'file', 'UID');
  expect(await text(uid)).toBe(Buffer.from(bytes).toString());
  await at.ok('admin', 'DELETE', `/api/files/${uid}`);
  await hasNothingLeft();
});

test('bytes go nowhere but to where the upload is, and no further than it said', async () => {
  const { id } = await begin('a.txt', 10);
  const wrong = await at.append(id, 5, 'hello');
  expect(wrong.status).toBe(409);
  expect(Object(wrong.json).error).toMatchObject({
    code: 'upload_conflict',
    details: { offset: 0 },
  });
  const more = await at.append(id, 0, 'more than ten');
  expect([more.status, Object(more.json).error.code]).toEqual([413, 'body_too_large']);
  const other = await at.append('none', 0, 'x');
  expect([other.status, Object(other.json).error.code]).toEqual([404, 'upload_not_found']);
  await at.ok('admin', 'DELETE', `/api/uploads/${id}`);
  await hasNothingLeft();
});

test('an upload is its own caller’s, and what is given up leaves nothing', async () => {
  await at.people.add('other', { isAdmin: true });
  const { id } = await begin('a.txt', 2 * MB, 'admin');
  await at.append(id, 0, bytesOf(MB + 1));
  expect((await at.people.as('other', 'GET', `/api/uploads/${id}`)).status).toBe(404);
  expect((await at.append(id, MB + 1, 'x', 'other')).status).toBe(404);
  expect((await at.people.as('ann', 'GET', `/api/uploads/${id}`)).status).toBe(403);
  expect(await at.count('_FileChunk')).toBe(2);
  await at.ok('admin', 'DELETE', `/api/uploads/${id}`);
  await hasNothingLeft();
});

test('an upload that is given up while bytes arrive is gone, with those too', async () => {
  const { id } = await begin('a.txt', 3 * MB);
  const socket = await at.beginAppend(id, 3 * MB, bytesOf(MB + 10));
  while ((await offsetOf(id)) < MB);
  await at.ok('admin', 'DELETE', `/api/uploads/${id}`);
  const answered = once(socket, 'data');
  socket.write(bytesOf(2 * MB - 10));
  expect(String(await answered)).toContain('upload_not_found');
  socket.destroy();
  await hasNothingLeft();
});

test('an empty file is whole with its first bytes, of which there are none', async () => {
  const { id } = await begin('empty', 0);
  const { json } = await at.append(id, 0, '');
  const uid = field(json, 'file', 'UID');
  expect(await text(uid)).toBe('');
  await at.ok('admin', 'DELETE', `/api/files/${uid}`);
});

test('one whose node has gone, or whose name is taken meanwhile, makes no file', async () => {
  const { id } = await begin('taken.txt', 3);
  const uid = await at.uploaded(at.notes.open, 'taken.txt', 'first');
  const ended = await at.append(id, 0, 'abc');
  expect([ended.status, Object(ended.json).error.code]).toEqual([409, 'file_exists']);
  expect(await text(uid)).toBe('first');
  await at.ok('admin', 'DELETE', `/api/uploads/${id}`);
  await at.ok('admin', 'DELETE', `/api/files/${uid}`);
  await hasNothingLeft();
});

test('it goes on after a server that was killed, and what was never an upload is swept away', async () => {
  await using scene = await FileScene.start();
  const bytes = bytesOf(2 * MB + 3);
  const { storage, server } = scene.workspace;
  const request = { name: 'killed.txt', size: bytes.length };
  const { id } = await scene.ok('admin', 'POST', `/api/node/${scene.notes.open}/uploads`, request);
  await scene.append(id, 0, bytes.subarray(0, MB + 1));
  await scene.beginUpload(scene.notes.open, 5 * MB, bytesOf(3 * MB));
  while ((await scene.count('_FileChunk')) < 4);
  await server.kill();
  await using again = await TrellisProcess.start({ storage });
  const http = new HttpClient(again.url);
  const token = await http.signIn();
  const path = `/api/uploads/${id}`;
  const now = await http.send({ path, token });
  expect(now.json).toMatchObject({ offset: MB + 1, file: null });
  const headers = {
    'content-type': 'application/octet-stream',
    'upload-offset': String(MB + 1),
  };
  const body = bytes.subarray(MB + 1);
  const ended = await http.send({ method: 'PATCH', path, token, body, headers });
  const uid = field(ended.json, 'file', 'UID');
  const whole = await http.send({ path: `/api/files/${uid}/content`, token });
  expect(whole.text).toBe(Buffer.from(bytes).toString());
  const { text: counts } = await http.send({ path: '/api/graph/stats/database', token });
  expect(counts).toMatch(/^_FileChunk +3\b/m);
});
