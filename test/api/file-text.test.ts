import { afterAll, beforeAll, expect, test } from 'vitest';
import { pdfBomb, pdfDocument, wordDocument } from '../../server/src/files/testing/documents.ts';
import { FileScene } from '../support/file-scene.ts';
import { valueAt } from '../support/http-client.ts';
import { untilIndexed } from '../support/search-index.ts';
import { TrellisProcess } from '../support/trellis-process.ts';

let at: FileScene;
beforeAll(async () => {
  at = await FileScene.start();
});
afterAll(() => at[Symbol.asyncDispose]());

/** Once somebody has looked for its text. */
async function settled(uid: string) {
  for (;;) {
    const file = await at.ok('admin', 'GET', `/api/files/${uid}`);
    if (file.TextState !== 'pending') return file;
  }
}

async function found(as: string, query: string, more: object = {}) {
  await untilIndexed(at.workspace.http, at.workspace.token);
  return at.ok(as, 'POST', '/api/cce/system/search', { query, ...more });
}

const bytesOf = (content: Buffer) => new Uint8Array(content);

test('a file is found by its text, with the node that it belongs to', async () => {
  const pdf = bytesOf(pdfDocument('The zeppelin lands at noon'));
  const uid = await at.uploaded(at.notes.open, 'plan.pdf', pdf, 'application/pdf');
  expect(await settled(uid)).toMatchObject({ TextState: 'extracted', TextError: null });
  await expect.poll(async () => (await found('bob', 'zeppelins')).total).toBe(1);
  const { hits } = await found('bob', 'zeppelins');
  expect(hits[0]).toMatchObject({
    node: { UID: uid, Type: '_FileEntry', Name: 'plan.pdf' },
    fileOf: { UID: at.notes.open, Type: 'Note', Id: 'open' },
    highlights: [{ field: 'Text', snippets: [{ text: 'The zeppelin lands at noon' }] }],
  });
  expect(hits[0].node.Text).toBeUndefined();
  expect((await found('bob', 'plan', { types: ['_FileEntry'] })).total).toBe(1);
  expect((await found('bob', 'zeppelin', { types: ['Note'] })).total).toBe(0);
  await at.ok('admin', 'DELETE', `/api/files/${uid}`);
  expect((await found('bob', 'zeppelin')).total).toBe(0);
});

test('whoever does not see its node finds nothing of a file, nor is told its words', async () => {
  const word = bytesOf(await wordDocument('Our quixotic merger'));
  const uid = await at.uploaded(at.notes.kept, 'merger.docx', word, 'application/octet-stream');
  await settled(uid);
  await expect.poll(async () => (await found('ann', 'quixotic')).total).toBe(1);
  expect((await found('ann', 'quixotic')).hits).toMatchObject([{ fileOf: { Id: 'kept' } }]);
  for (const query of ['quixotic', 'quixotik', 'quix*', 'merger', '']) {
    expect((await found('bob', query, { types: ['_FileEntry'] })).total, query).toBe(0);
  }
  const suggested = { query: 'quixo' };
  expect(await at.ok('bob', 'POST', '/api/cce/system/suggest', suggested)).toEqual(
    await at.ok('bob', 'POST', '/api/cce/system/suggest', { query: 'zzzzz' }),
  );
  const { items } = await at.ok('admin', 'GET', '/api/groups');
  const team = { uid: items[0].UID };
  const node = { type: 'Note', key: 'kept' };
  const operations = (op: string) => ({ operations: [{ op, node, team }] });
  await at.ok('admin', 'POST', '/api/ingest', operations('unrestrict'));
  expect((await found('bob', 'quixotic')).total).toBe(1);
  await at.ok('admin', 'POST', '/api/ingest', operations('restrict'));
  expect((await found('bob', 'quixotic')).total).toBe(0);
  await at.ok('admin', 'DELETE', `/api/files/${uid}`);
});

test('settings may say otherwise, and files of the admin agent are not searched', async () => {
  const uid = await at.uploaded(at.notes.open, 'a.txt', 'xylophone');
  await settled(uid);
  const { id } = await at.ok('admin', 'POST', '/api/admin-agent/sessions');
  const form = new FormData();
  form.set('file', new Blob(['xylophone']), 'xylophone.txt');
  await at.send(`/api/admin-agent/sessions/${id}/uploads`, { method: 'POST', body: form });
  await expect.poll(async () => (await found('admin', 'xylophone')).total).toBe(1);
  const before = await at.ok('admin', 'GET', '/api/search/settings');
  expect(Object.keys(before.types)).toEqual(['Note']);
  const types = { ...before.types, _FileEntry: { searchable: false, fields: {} } };
  await at.ok('admin', 'PUT', '/api/search/settings', { types });
  expect((await found('admin', 'xylophone')).total).toBe(0);
  await at.ok('admin', 'PUT', '/api/search/settings', before);
  expect((await found('admin', 'xylophone')).total).toBe(1);
  await at.ok('admin', 'DELETE', `/api/files/${uid}`);
  await at.ok('admin', 'DELETE', `/api/admin-agent/sessions/${id}`);
});

test('what has no text, and what is made to do harm, is said to be so; the server goes on', async () => {
  const names: [string, string, Uint8Array<ArrayBuffer>, object][] = [
    ['a.png', 'image/png', new Uint8Array([1, 2]), { TextState: 'unsupported', TextError: null }],
    ['no.pdf', 'application/pdf', new Uint8Array([1, 2]), { TextState: 'failed' }],
    ['bomb.pdf', 'application/pdf', bytesOf(pdfBomb(200_000_000)), { TextState: 'failed' }],
    ['good.txt', 'text/plain', new Uint8Array([0x79, 0x65, 0x73]), { TextState: 'extracted' }],
  ];
  const uids: string[] = [];
  for (const [name, type, bytes] of names) {
    uids.push(await at.uploaded(at.notes.open, name, bytes, type));
  }
  for (const [index, [name, , , state]] of names.entries()) {
    const file = await settled(String(uids[index]));
    expect(file, name).toMatchObject(state);
    if (file.TextState === 'failed') expect(file.TextError).toMatch(/\w/);
  }
  expect((await at.people.as('', 'GET', '/health')).json).toMatchObject({ status: 'ok' });
  for (const uid of uids) await at.ok('admin', 'DELETE', `/api/files/${uid}`);
});

test('text that a killed server had not taken out is taken out after its start', async () => {
  await using scene = await FileScene.start();
  const { server, storage } = scene.workspace;
  // The bomb keeps the reader busy.
  await scene.uploaded(scene.notes.open, 'bomb.pdf', bytesOf(pdfBomb(200_000_000)));
  const uid = await scene.uploaded(scene.notes.open, 'a.txt', 'late');
  expect(await scene.ok('admin', 'GET', `/api/files/${uid}`)).toMatchObject({
    TextState: 'pending',
  });
  await server.kill();
  await using again = await TrellisProcess.start({ storage });
  const get = async () =>
    (
      await fetch(new URL(`/api/files/${uid}`, again.url), {
        headers: { authorization: `Bearer ${scene.workspace.token}` },
      })
    ).json();
  let state: unknown;
  do state = valueAt(await get(), 'TextState');
  while (state === 'pending');
  expect(state).toBe('extracted');
});
