import { expect, it } from 'vitest';
import { failureOf, refusal, scripted } from '../testing/scripted-server.ts';

const ENTRY = { UID: 'f 1', Size: 6, ContentType: 'text/plain', Name: 'a.txt' };
const upload = (offset: number, file: object | null = null) => ({
  id: 'u 1',
  offset,
  size: 6,
  name: 'a.txt',
  contentType: 'text/plain',
  expiresAt: '',
  file,
});
const FILE = { ...ENTRY, Sha256: '', Timestamp: '', UploadedBy: null, TextState: 'pending' };
const SIX = new Blob(['abcdef'], { type: 'text/plain' });
const retry = { pauseMs: 0 };

it('lists, uploads, reads, downloads and deletes files', async () => {
  const list = { items: [FILE], total: 1, skip: 0, take: 2 };
  const { client, seen } = await scripted([
    { body: list },
    { status: 201, body: ENTRY },
    { body: FILE },
    { status: 206, body: 'bcd' },
    { status: 204 },
  ]);
  expect(await client.files.list('n 1', { take: 2 })).toEqual(list);
  expect(await client.files.upload('n 1', 'a.txt', SIX)).toEqual(ENTRY);
  expect(await client.files.get('f 1')).toEqual(FILE);
  const part = await client.files.download('f 1', { range: { from: 1, to: 4 } });
  expect(await new Response(part).text()).toBe('bcd');
  await client.files.delete('f 1');
  expect(seen.map(({ method, url }) => [method, url])).toEqual([
    ['GET', '/api/node/n%201/files?take=2'],
    ['POST', '/api/node/n%201/files'],
    ['GET', '/api/files/f%201'],
    ['GET', '/api/files/f%201/content'],
    ['DELETE', '/api/files/f%201'],
  ]);
  expect(seen[1]?.body).toContain('filename="a.txt"');
  expect(seen[3]?.headers['range']).toBe('bytes=1-3');
});

it('uploads piece by piece, and tells how far it is', async () => {
  const { client, seen } = await scripted([
    { status: 201, body: upload(0) },
    { body: upload(4) },
    { body: upload(6, ENTRY) },
  ]);
  const offsets: number[] = [];
  const onProgress = ({ offset }: { offset: number }) => void offsets.push(offset);
  const options = { onProgress, pieceBytes: 4 };
  expect(await client.files.uploadInPieces('n', 'a.txt', SIX, options)).toEqual(ENTRY);
  expect(offsets).toEqual([0, 4, 6]);
  expect(seen.map(({ method, body, headers }) => [method, body, headers['upload-offset']])).toEqual(
    [
      ['POST', '{"name":"a.txt","size":6,"contentType":"text/plain"}', undefined],
      ['PATCH', 'abcd', '0'],
      ['PATCH', 'ef', '4'],
    ],
  );
});

it('goes on where the server is after a failure, also with an upload from before', async () => {
  const { client, seen } = await scripted(
    [
      { body: upload(0) },
      { status: 502, body: '' },
      { body: upload(2) },
      { status: 409, body: refusal('upload_conflict') },
      { body: upload(3) },
      { body: upload(6, ENTRY) },
    ],
    { retry },
  );
  expect(await client.files.uploadInPieces('n', 'a.txt', SIX, { id: 'u 1' })).toEqual(ENTRY);
  expect(seen.map(({ method, body }) => [method, body])).toEqual([
    ['GET', ''],
    ['PATCH', 'abcdef'],
    ['GET', ''],
    ['PATCH', 'cdef'],
    ['GET', ''],
    ['PATCH', 'def'],
  ]);
});

it('finds the file when only the answer to its last bytes was lost', async () => {
  const { client } = await scripted(
    [
      { status: 201, body: upload(0) },
      { status: 502, body: '' },
      { status: 404, body: refusal('upload_not_found') },
      { body: { items: [FILE], total: 1, skip: 0, take: 1_000 } },
    ],
    { retry },
  );
  expect(await client.files.uploadInPieces('n', 'a.txt', SIX)).toEqual(ENTRY);
});

it('does not repeat what is refused', async () => {
  const refused = { status: 409, body: refusal('file_exists') };
  const { client, seen } = await scripted([{ status: 201, body: upload(0) }, refused]);
  const failure = await failureOf(client.files.uploadInPieces('n', 'a.txt', SIX));
  expect(failure).toMatchObject({ code: 'file_exists' });
  expect(seen.length).toBe(2);
});

it('reads, continues and gives up an upload', async () => {
  const { client, seen } = await scripted([
    { status: 201, body: upload(0) },
    { body: upload(0) },
    { body: upload(3) },
    { status: 204 },
  ]);
  await client.files.createUpload('n', { name: 'a.txt', size: 6 });
  expect(await client.files.getUpload('u 1')).toEqual(upload(0));
  expect(await client.files.appendUpload('u 1', 0, new Blob(['abc']))).toEqual(upload(3));
  await client.files.deleteUpload('u 1');
  expect(seen.at(-1)).toMatchObject({ method: 'DELETE', url: '/api/uploads/u%201' });
});
