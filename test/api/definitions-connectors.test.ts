import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import type { CsvSource } from '@trellis/contract/shapes/connector.ts';
import { runToEnd } from '../support/connector-runs.ts';
import { changesIn, DefinitionsScene, type Files } from '../support/definitions-scene.ts';

const SECRET = 'quokka-on-the-island';
const TABLE = 'Sku,Price\na1,10\nb2,20\n';

let at: DefinitionsScene;
let admin: TrellisClient;
let server: Server;
let origin: string;
/** What each request said of who asks. */
const asked: unknown[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.headers.authorization);
    response.end(TABLE);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  at = await DefinitionsScene.start();
  admin = clientOf(at);
  await admin.workspace.putSettings({ fetchAllowList: [origin] });
});
afterAll(async () => {
  server.close();
  await at[Symbol.asyncDispose]();
});

function clientOf({ workspace }: DefinitionsScene): TrellisClient {
  const { server: place, token } = workspace;
  return new TrellisClient({ baseUrl: place.url, token, retry: { retriesMax: 0 } });
}

const sourceOf = (type: string): CsvSource => ({
  kind: 'csv',
  url: `${origin}/prices.csv`,
  type,
  key: 'Sku',
});
const pathOf = (id: string): string => `connectors/${id}.json`;
const fileOf = (id: string, definition: object): Files => ({
  [pathOf(id)]: JSON.stringify(definition),
});

async function keysOf(client: TrellisClient, type: string): Promise<unknown[]> {
  const { items } = await client.nodes.query({ type });
  return items.map((node) => node['Id']).toSorted();
}

test('connectors go to another workspace without their secrets, which are asked for', async () => {
  const schedule = { cron: '0 6 * * *', timeZone: 'Europe/Berlin' };
  const given = { name: 'Prices', source: sourceOf('Price'), schedule, enabled: false };
  const { id } = await admin.connectors.create({ ...given, secret: SECRET });
  const zip = await at.exported();
  const files = await at.exportedFiles();
  expect(JSON.parse(files[pathOf(id)]!)).toEqual({ ...given, needsSecret: true });
  expect(JSON.stringify(files)).not.toContain(SECRET);

  await using other = await DefinitionsScene.start();
  const there = clientOf(other);
  const afterwards = [
    {
      kind: 'connector',
      name: id,
      message: `Give the connector "Prices" (${id}) its secret: it does not run without.`,
    },
  ];
  const dryRun = await other.import(zip, '?dryRun=true');
  expect(changesIn(dryRun)).toContain(`created connector ${id}`);
  expect(dryRun.afterwards).toEqual(afterwards);
  expect((await there.connectors.list()).items).toEqual([]);
  const events = await other.events(zip);
  expect(events.at(-2)?.data).toMatchObject({ applied: true, afterwards });
  expect(JSON.stringify(events)).toContain(`Afterwards: Give the connector`);
  expect(Buffer.from(await other.exported()).equals(Buffer.from(zip))).toBe(true);
  const made = { id, ...given, hasSecret: false, needsSecret: true };
  expect(await there.connectors.get(id)).toMatchObject(made);

  // Nobody is asked without the secret.
  asked.length = 0;
  const refused = await runToEnd(there, id);
  expect(refused).toMatchObject({ state: 'failed', error: { code: 'connector_failed' } });
  expect(refused?.error?.message).toContain('secret is missing');
  expect(asked).toEqual([]);
  await there.connectors.update(id, { ...given, secret: SECRET });
  expect(await runToEnd(there, id)).toMatchObject({ state: 'succeeded', report: { added: 2 } });
  expect(asked).toEqual([`Bearer ${SECRET}`]);
  const again = await other.import(zip);
  expect([changesIn(again), again.afterwards]).toEqual([[], []]);
  expect(await there.connectors.get(id)).toMatchObject({ hasSecret: true });
});

test('a plan tells what is added, changed and removed, and a mirror removes all of it', async () => {
  const source = sourceOf('Planned');
  const { id } = await admin.connectors.create({ name: 'Old', source, secret: SECRET });
  const before = await at.exportedFiles();
  await at.import(fileOf('by-hand', { name: 'By hand', source }));
  expect(await admin.connectors.get('by-hand')).toMatchObject({
    name: 'By hand',
    schedule: null,
    enabled: true,
    needsSecret: false,
  });
  const files = { ...before, ...fileOf(id, { name: 'New', source }) };
  const dryRun = await at.import(files, '?mirror=true&dryRun=true');
  const changes = [`changed connector ${id}`, 'deleted connector by-hand'];
  expect(changesIn(dryRun)).toEqual(changes);
  expect(dryRun.items.find(({ name }) => name === id)?.diff).toContain(
    '-  "name": "Old",\n+  "name": "New",\n',
  );
  expect((await admin.connectors.get(id)).name).toBe('Old');
  expect(changesIn(await at.import(files, '?mirror=true'))).toEqual(changes);
  // The file that does not say whether it needs a secret leaves it.
  expect(await admin.connectors.get(id)).toMatchObject({ name: 'New', hasSecret: true });
  await expect(admin.connectors.get('by-hand')).rejects.toMatchObject({
    code: 'connector_not_found',
  });
  // What is deleted, and comes again, does not find its former secret.
  const { [pathOf(id)]: file, ...without } = await at.exportedFiles();
  expect(changesIn(await at.import(without, '?mirror=true'))).toEqual([`deleted connector ${id}`]);
  const back = await at.import({ [pathOf(id)]: file! });
  expect(back.afterwards).toMatchObject([{ name: id }]);
  expect(await admin.connectors.get(id)).toMatchObject({ hasSecret: false, needsSecret: true });
  await admin.connectors.delete(id);
});

test('a secret does not follow to another server, nor is it kept for none', async () => {
  const elsewhere = 'https://elsewhere.example.com';
  await admin.workspace.putSettings({ fetchAllowList: [origin, elsewhere] });
  const source = sourceOf('Moved');
  const { id } = await admin.connectors.create({ name: 'Moves', source, secret: SECRET });
  const moved = { name: 'Moves', source: { ...source, url: `${elsewhere}/a.csv` } };
  for (const query of ['?dryRun=true', '']) {
    const result = await at.import(fileOf(id, moved), query);
    expect(changesIn(result)).toEqual([`changed connector ${id}`]);
    expect(result.afterwards).toMatchObject([{ kind: 'connector', name: id }]);
    const isApplied = query === '';
    expect((await admin.connectors.get(id)).hasSecret).toBe(!isApplied);
  }
  // Back where it was, it is not found again.
  const back = await at.import(fileOf(id, { name: 'Moves', source }));
  expect(back.afterwards).toHaveLength(1);
  await admin.connectors.update(id, { name: 'Moves', source, secret: SECRET });
  const none = await at.import(fileOf(id, { name: 'Moves', source, needsSecret: false }));
  expect([changesIn(none), none.afterwards]).toEqual([[`changed connector ${id}`], []]);
  expect(await admin.connectors.get(id)).toMatchObject({ hasSecret: false, needsSecret: false });
  await admin.connectors.delete(id);
});

test('a type that the same import renames is renamed in them, and nothing comes twice', async () => {
  const { id } = await admin.connectors.create({ name: 'Parts', source: sourceOf('Part') });
  const { id: left } = await admin.connectors.create({ name: 'Left', source: sourceOf('Part') });
  await runToEnd(admin, id);
  const files = {
    'schema-renames.json': JSON.stringify({ renames: [{ type: 'Part', to: 'Component' }] }),
    ...fileOf(id, { name: 'Parts', source: sourceOf('Component') }),
  };
  expect(changesIn(await at.import(files))).toEqual([
    'created schema-renames schema-renames',
    `changed connector ${id}`,
  ]);
  for (const one of [id, left]) {
    expect((await admin.connectors.get(one)).source).toMatchObject({ type: 'Component' });
  }
  const last = await runToEnd(admin, id);
  expect(last).toMatchObject({ state: 'succeeded', report: { removed: 0 } });
  expect(await keysOf(admin, 'Component')).toEqual(['a1', 'b2']);
  const { nodes } = await admin.schema.get();
  expect(nodes.map(({ type }) => type)).not.toContain('Part');
  // A file with the former name says the same.
  const former = fileOf(id, { name: 'Parts', source: sourceOf('Part') });
  expect(changesIn(await at.import(former))).toEqual([]);
  for (const one of [id, left]) await admin.connectors.delete(one);
});

test('what is wrong with a file is told with its place, and nothing is imported', async () => {
  const good = { name: 'Good', source: sourceOf('Good') };
  const imap = { kind: 'imap', url: 'imaps://mail.example.com', tls: true, user: 'ann' };
  const cases: readonly (readonly [id: string, definition: unknown, error: string])[] = [
    ['a', { ...good, secret: SECRET }, 'invalid_request: file, secret: is not known here'],
    ['b', { source: good.source }, 'invalid_request: file, name: '],
    ['c', { ...good, source: { ...good.source, url: 'ftp://a.example/b' } }, 'invalid_request: '],
    [
      'disk',
      { ...good, source: { ...good.source, url: 'file:///etc/passwd' } },
      'connector_address_not_allowed: Connectors may not read the disk of this server',
    ],
    ['d', { ...good, source: { ...good.source, kind: 'fax' } }, 'invalid_request: file, source'],
    ['e', { ...good, source: imap }, 'invalid_request: file, source.owner: '],
    ['f', { ...good, schedule: { cron: 'never', timeZone: 'UTC' } }, 'invalid_schedule: '],
    ['g/h', good, 'invalid_request: connector: must have letters'],
    ['-h', good, 'invalid_request: connector: must have letters'],
    [
      'i',
      { ...good, source: { ...good.source, url: 'https://inner.example.com/' } },
      'connector_address_not_allowed: A connector may not reach https://inner.example.com',
    ],
    ['j', [], 'invalid_request: connectors/j.json is no JSON object'],
  ];
  const before = await at.exported();
  const files = Object.assign({}, ...cases.map(([id, one]) => fileOf(id, one as object)));
  for (const query of ['?dryRun=true', '']) {
    const result = await at.import({ ...files, ...fileOf('good', good) }, query);
    expect(result).toMatchObject({ applied: false, totals: { created: 1, failed: cases.length } });
    for (const [id, , error] of cases) {
      const item = result.items.find(({ name }) => name === id);
      expect(item).toMatchObject({ file: pathOf(id), action: 'failed' });
      expect(`${item?.error?.code}: ${item?.error?.message}`).toContain(error);
    }
    expect(JSON.stringify(result)).not.toContain(SECRET);
  }
  expect(Buffer.from(await at.exported()).equals(Buffer.from(before))).toBe(true);
  // An address that the settings beside it allow is allowed.
  const settings = { fetchAllowList: [origin, 'https://inner.example.com'] };
  const allowed = { ...good, source: { ...good.source, url: 'https://inner.example.com/' } };
  const both = {
    'workspace-settings.json': JSON.stringify(settings),
    ...fileOf('inner', allowed),
  };
  expect(changesIn(await at.import(both))).toEqual([
    'changed workspace-settings workspace-settings',
    'created connector inner',
  ]);
  await admin.connectors.delete('inner');
});

test('an import fails as a whole when somebody changes one of its connectors meanwhile', async () => {
  const source = sourceOf('Raced');
  const { id } = await admin.connectors.create({ name: 'Raced', source });
  const code = (answer: number): string => `export default async () => ${answer};\n`;
  const many = Object.fromEntries(
    Array.from({ length: 30 }, (_, i) => [`migrations/late ${i}.ts`, code(i)]),
  );
  const importing = at.events({ ...many, ...fileOf(id, { name: 'Imported', source }) });
  await expect
    .poll(async () => (await admin.jobs.list({ kind: 'definitions-import' })).items[0]?.step)
    .toContain('late ');
  await admin.connectors.update(id, { name: 'By hand', source });
  const error = (await importing).find(({ event }) => event === 'error');
  expect(Object(error?.data)).toMatchObject({ error: { code: 'version_conflict' } });
  expect((await admin.connectors.get(id)).name).toBe('By hand');
  await admin.connectors.delete(id);
});
