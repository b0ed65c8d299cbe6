import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import type { CsvSource, FolderSource } from '@trellis/contract/shapes/connector.ts';
import { runToEnd } from '../support/connector-runs.ts';
import { People } from '../support/people.ts';
import { temporaryFolder } from '../support/trellis-process.ts';

let place: Awaited<ReturnType<typeof temporaryFolder>>;
let people: People;
let admin: TrellisClient;
/** What connectors may read, and what they may not. */
let root: string;
let outside: string;
/** A folder of the root, another one for each test. */
let folder: string;

beforeAll(async () => {
  place = await temporaryFolder();
  const path = await realpath(place.path);
  [root, outside] = [join(path, 'root'), join(path, 'outside')];
  for (const one of [root, outside]) mkdirSync(one);
  writeFileSync(join(outside, 'key.txt'), 'the key of the numbat');
  writeFileSync(join(outside, 'keys.csv'), 'Name\nnumbat\n');
  people = await People.start({
    MSK_CONNECTOR_ROOTS: `${root};${join(path, 'missing')}`,
    MSK_LOG_PATH: join(root, 'logs'),
    MSK_GRAPH_BACKUP_FOLDER: join(root, 'backups'),
  });
  const ann = await people.add('ann');
  await people.add('eve');
  await people.addTeam('north', { add: [ann] });
  admin = clientOf(people);
});
afterAll(async () => {
  await people[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});
beforeEach(({ task }) => {
  folder = join(root, task.id);
  mkdirSync(folder);
});

function clientOf({ workspace }: People): TrellisClient {
  const { server, token } = workspace;
  return new TrellisClient({ baseUrl: server.url, token, retry: { retriesMax: 0 } });
}

const folderAt = (path: string, more: Partial<FolderSource> = {}): FolderSource => ({
  kind: 'folder',
  url: pathToFileURL(path).href,
  fileBytesMax: 1_000,
  access: 'everybody',
  rules: [],
  ...more,
});
const tableAt = (path: string, type = 'Row'): CsvSource => ({
  kind: 'csv',
  url: pathToFileURL(path).href,
  type,
  key: 'Name',
});
const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);

/** Paths of the nodes of a type that the folder of this test has, as somebody sees them. */
async function paths(type: string, as = 'admin'): Promise<unknown[]> {
  const { json } = await people.as(as, 'POST', '/api/node/query', { type, take: 1_000 });
  return Object(json)
    .items.filter(({ Id }: { Id: string }) => `/${Id}/`.startsWith(`${folder}/`))
    .map(({ Path }: { Path: string }) => Path)
    .toSorted();
}

async function found(query: string, as = 'admin'): Promise<unknown[]> {
  const path = '/api/endpoints/run/system/search';
  const { json } = await people.as(as, 'POST', path, { query });
  return Object(json).hits.map((hit: object) => Object(Object(hit).node).Name);
}

test('a folder comes with what is in its files, and then what has changed, moved or gone', async () => {
  mkdirSync(join(folder, 'trips/2026'), { recursive: true });
  write('readme.txt', 'A quokka lives on an island.');
  write('big.txt', `wombat ${'x'.repeat(2_000)}`);
  write('empty.txt', '');
  write('trips/2026/50% & more #1.txt', 'To the lighthouse.');
  const source = folderAt(folder);
  expect(await admin.connectors.test({ source })).toEqual({
    isReachable: true,
    message: 'A folder with 1 folders and 3 files right in it',
  });
  const { id } = await admin.connectors.create({ name: 'files', source });
  expect(await runToEnd(admin, id)).toMatchObject({
    state: 'succeeded',
    report: { rejected: 0, removed: 0 },
  });
  const files = ['/big.txt', '/empty.txt', '/readme.txt', '/trips/2026/50% & more #1.txt'];
  expect(await paths('DiskFolder')).toEqual(['/', '/trips', '/trips/2026']);
  expect(await paths('DiskFile')).toEqual(files);
  await expect.poll(() => found('quokka')).toEqual(['readme.txt']);
  await expect.poll(() => found('lighthouse')).toEqual(['50% & more #1.txt']);
  expect(await found('wombat')).toEqual([]);
  const { json } = await people.as('admin', 'POST', '/api/node/query', { type: 'DiskFile' });
  expect(Object(json).items).toContainEqual(
    expect.objectContaining({ Name: 'readme.txt', Bytes: 28, Modified: expect.any(String) }),
  );
  const again = await runToEnd(admin, id);
  expect(again?.report).toMatchObject({ operations: 0, changes: [] });

  // Of the same size and time: programs may set the time as they like.
  write('readme.txt', 'A bilby! lives on an island.');
  utimesSync(join(folder, 'readme.txt'), 1, 1);
  await runToEnd(admin, id);
  await expect.poll(() => found('bilby')).toEqual(['readme.txt']);
  write('readme.txt', 'A koala! lives on an island.');
  utimesSync(join(folder, 'readme.txt'), 1, 1);
  renameSync(join(folder, 'trips/2026'), join(folder, 'trips/2027'));
  rmSync(join(folder, 'empty.txt'));
  expect(await runToEnd(admin, id)).toMatchObject({ state: 'succeeded' });
  await expect.poll(() => found('koala')).toEqual(['readme.txt']);
  expect(await paths('DiskFolder')).toEqual(['/', '/trips', '/trips/2027']);
  expect(await paths('DiskFile')).toEqual([
    '/big.txt',
    '/readme.txt',
    '/trips/2027/50% & more #1.txt',
  ]);
});

test('rules say who may see which folder, and what none leads to is left out', async () => {
  mkdirSync(join(folder, 'staff'));
  mkdirSync(join(folder, 'other'));
  write('staff/plan.txt', 'A dunnart.');
  write('other/note.txt', 'A potoroo.');
  const rules = [
    { path: '/staff', teams: ['north'], users: [] },
    { path: '/stuff', teams: ['north'], users: [] },
  ];
  const source = folderAt(folder, { access: 'rules', rules });
  const { id } = await admin.connectors.create({ name: 'staff', source });
  const last = await runToEnd(admin, id);
  expect(last?.log.map(({ text }) => text)).toEqual(
    expect.arrayContaining([
      'Warning: the rule for "/stuff" leads to nothing that is there',
      '3 are left out, as nobody here may see them',
    ]),
  );
  expect(await paths('DiskFile', 'ann')).toEqual(['/staff/plan.txt']);
  expect(await paths('DiskFile', 'eve')).toEqual([]);
  expect(await paths('DiskFile')).toEqual(['/staff/plan.txt']);
  const { items } = await admin.connectors.access(id, { take: 10 });
  expect(items).toContainEqual(
    expect.objectContaining({
      isTold: true,
      principals: [expect.objectContaining({ kind: 'team', name: 'north', sees: 'both' })],
    }),
  );
});

test('a table is brought, and each run tells what has changed in the file', async () => {
  const source = tableAt(join(folder, 'animals.csv'), 'Animal');
  const { id } = await admin.connectors.create({ name: 'animals', source });
  // It may come later than the connector.
  expect(await runToEnd(admin, id)).toMatchObject({
    state: 'failed',
    error: { code: 'connector_failed', message: expect.stringContaining('is not there') },
  });
  write('animals.csv', 'Name,Legs\nquoll,4\nemu,2\n');
  expect(await admin.connectors.test({ source })).toEqual({
    isReachable: true,
    message: 'A table with the columns Name, Legs',
  });
  expect((await runToEnd(admin, id))?.report).toMatchObject({ added: 2 });
  write('animals.csv', 'Name,Legs\nquoll,5\nkoel,2\n');
  expect((await runToEnd(admin, id))?.report?.changes).toEqual([
    { row: 'quoll', change: 'changed' },
    { row: 'koel', change: 'added' },
    { row: 'emu', change: 'removed' },
  ]);
  write('animals.csv', '');
  expect(await runToEnd(admin, id)).toMatchObject({ state: 'failed' });
});

test('no link leads out of what is brought, nor is one followed within', async () => {
  mkdirSync(join(folder, 'real'));
  write('real/a.txt', 'An antechinus.');
  symlinkSync(join(outside, 'key.txt'), join(folder, 'key.txt'));
  symlinkSync(outside, join(folder, 'outside'));
  symlinkSync('real', join(folder, 'again'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const { id } = await admin.connectors.create({ name: 'links', source: folderAt(folder) });
  const last = await runToEnd(admin, id);
  expect(last).toMatchObject({ state: 'succeeded' });
  expect(last?.log.map(({ text }) => text)).toContain('"/": 4 links and the like are left out');
  expect(await paths('DiskFolder')).toEqual(['/', '/real']);
  expect(await paths('DiskFile')).toEqual(['/real/a.txt']);
  await expect.poll(() => found('antechinus')).toEqual(['a.txt']);
  expect(await found('numbat')).toEqual([]);
});

test('what becomes a link after it was set up is not read any more', async () => {
  mkdirSync(join(folder, 'inner'));
  write('inner/a.csv', 'Name\nmala\n');
  const made = [
    await admin.connectors.create({ name: 'f', source: folderAt(join(folder, 'inner')) }),
    await admin.connectors.create({ name: 'c', source: tableAt(join(folder, 'inner/a.csv'), 'A') }),
  ];
  for (const { id } of made) expect(await runToEnd(admin, id)).toMatchObject({ error: null });
  renameSync(join(folder, 'inner'), join(folder, 'former'));
  symlinkSync(outside, join(folder, 'inner'));
  for (const { id, source } of made) {
    expect(await runToEnd(admin, id)).toMatchObject({
      state: 'failed',
      error: { code: 'connector_address_not_allowed' },
    });
    await expect(admin.connectors.test({ source })).rejects.toMatchObject({
      code: 'connector_address_not_allowed',
    });
  }
  // One that stays below the roots is the administrator's own.
  unlinkSync(join(folder, 'inner'));
  symlinkSync(join(folder, 'former'), join(folder, 'inner'));
  for (const { id } of made) expect(await runToEnd(admin, id)).toMatchObject({ error: null });
  expect(await found('numbat')).toEqual([]);
});

test('what is not below a root, and what is the server itself, is refused', async () => {
  const { storage } = people.workspace;
  symlinkSync(outside, join(folder, 'link'));
  symlinkSync(storage, join(folder, 'storage'));
  const base = pathToFileURL(folder).href;
  const refused = [
    pathToFileURL(outside).href,
    pathToFileURL(`${root}-more`).href,
    pathToFileURL(storage).href,
    'file:///',
    'file:///etc',
    'file:///proc/self',
    `${base}/../../outside`,
    `${base}/%2e%2e/%2e%2e/outside`,
    `${base}/..%2f..%2foutside`,
    `${base}/link`,
    `${base}/link/deeper/still`,
    `${base}/storage/vault`,
    `${base}/a*`,
    `${base}/a%00b`,
    // What has the logs and the backups in it.
    pathToFileURL(root).href,
    pathToFileURL(join(root, 'logs')).href,
    pathToFileURL(join(root, 'backups/newest')).href,
  ];
  const before = (await admin.connectors.list()).total;
  for (const url of refused) {
    for (const source of [folderAt(folder, { url }), { ...tableAt(folder), url }]) {
      const error = {
        code: 'connector_address_not_allowed',
        hint: expect.stringMatching(/folder/),
      };
      await expect(admin.connectors.create({ name: 'x', source }), url).rejects.toMatchObject(
        error,
      );
      await expect(admin.connectors.test({ source }), url).rejects.toMatchObject(error);
    }
  }
  const malformed = ['file://host/srv', `${base}?a=1`, 'https://files.example.com/', '/srv'];
  for (const url of malformed) {
    const source = folderAt(folder, { url });
    await expect(admin.connectors.create({ name: 'x', source }), url).rejects.toMatchObject({
      code: 'invalid_request',
      details: { fields: [{ path: 'source.url' }] },
    });
  }
  expect((await admin.connectors.list()).total).toBe(before);
});

test('a file is no folder, and a folder no table', async () => {
  write('a.txt', 'a');
  const { connectors } = admin;
  expect(await connectors.test({ source: folderAt(join(folder, 'a.txt')) })).toEqual({
    isReachable: false,
    message: `${join(folder, 'a.txt')} is no folder`,
  });
  expect(await connectors.test({ source: tableAt(folder) })).toEqual({
    isReachable: false,
    message: expect.stringContaining(`${folder} is no file`),
  });
});

test('without roots, or with the storage as one, nothing is read', async () => {
  await using bare = await People.start();
  const none = clientOf(bare).connectors;
  await expect(none.create({ name: 'x', source: folderAt(folder) })).rejects.toMatchObject({
    code: 'connector_address_not_allowed',
    message: 'Connectors may not read the disk of this server',
    hint: expect.stringContaining('MSK_CONNECTOR_ROOTS'),
  });
  const above = join(place.path, 'above');
  mkdirSync(above);
  const own = join(above, 'storage');
  await using odd = await People.start({ MSK_CONNECTOR_ROOTS: above, MSK_GRAPH_STORAGE: own });
  const { connectors } = clientOf(odd);
  for (const path of [above, own, join(own, 'graph')]) {
    await expect(connectors.create({ name: 'x', source: folderAt(path) })).rejects.toMatchObject({
      code: 'connector_address_not_allowed',
      message: `${path} has what belongs to the server itself`,
    });
  }
  mkdirSync(join(above, 'beside'));
  const beside = folderAt(join(above, 'beside'));
  expect(await connectors.test({ source: beside })).toMatchObject({ isReachable: true });
});
