import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fromBuffer, type Entry, type ZipFile } from 'yauzl';
import type { Answer } from '../support/http-client.ts';
import { items, People } from '../support/people.ts';

const SCHEMA = {
  nodes: [
    {
      type: 'Note',
      key: 'Name',
      fields: {
        Text: 'String',
        Price: 'Decimal',
        Count: 'Int',
        Tags: 'String[]',
        Secret: 'String',
        At: 'GeoPoint',
        Raw: 'Bytes',
      },
    },
    { type: 'Topic', key: 'Name', fields: { Rank: 'Int' } },
  ],
  edges: [{ type: 'About', inverse: 'HasNote' }],
};
const COLUMNS = ['Link', 'UID', 'Type', 'EdgeCount', 'Timestamp'];

let people: People;
const uids = new Map<string, string>();
const uid = (name: string): string => uids.get(name) ?? '';

beforeAll(async () => {
  people = await People.start();
  for (const name of ['ann', 'bob']) await people.add(name);
  await people.add('guest', { isGuest: true });
  const sales = await people.addTeam('Sales', { add: [people.uid('bob')] });
  await people.addToken('read-token', { kind: 'api', name: 'reads', scopes: ['read'] });
  await people.as('admin', 'PUT', '/api/schema', SCHEMA);
  const note = (key: string, timestamp: string, fields: object) => ({
    op: 'addOrUpdate',
    type: 'Note',
    key,
    timestamp,
    fields: { Secret: `secret of ${key}`, ...fields },
  });
  const about = (key: string) => ({
    op: 'link',
    from: { type: 'Note', key },
    edge: 'About',
    to: { type: 'Topic', key: '=topic' },
  });
  const operations = [
    { op: 'addOrUpdate', type: 'Topic', key: '=topic', fields: { Rank: -1 } },
    note('open', '2026-01-03T00:00:00Z', {
      Text: '=cmd|" /C calc"!A0',
      Price: '-2.50',
      Count: -7,
      Tags: ['a', '=b'],
      At: { lat: 1.5, lon: -2 },
      Raw: 'AAEC',
    }),
    note('+sales', '2026-01-02T00:00:00Z', { Text: 'one, "quoted"\r\nline' }),
    ...['open', '+sales'].map(about),
    { op: 'restrict', node: { type: 'Note', key: '+sales' }, team: { uid: sales } },
  ];
  const ingested = await people.as('admin', 'POST', '/api/ingest', { operations });
  if (ingested.status !== 200) throw new Error(ingested.text);
  await people.as('admin', 'PUT', '/api/access/types', {
    types: { Note: { fields: { Secret: { teams: [sales] } } } },
  });
  for (const type of ['Note', 'Topic']) {
    for (const node of items(await people.as('admin', 'POST', '/api/node/query', { type }))) {
      uids.set(String(node['Id']), String(node['UID']));
    }
  }
});
afterAll(() => people[Symbol.asyncDispose]());

const download = (who: string, kind: string, body: unknown): Promise<Answer> =>
  people.as(who, 'POST', `/api/node/download/${kind}`, body);

async function rows(who: string, body: unknown, query = ''): Promise<string[][]> {
  const answer = await download(who, `csv${query}`, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return parse(answer.text, { record_delimiter: '\r\n' });
}

async function lines(who: string, body: unknown): Promise<Record<string, unknown>[]> {
  const answer = await download(who, 'jsonl', body);
  return answer.text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

/** Content by name. */
async function files(who: string, body: unknown): Promise<Record<string, string>> {
  const { url } = people.workspace.server;
  const response = await fetch(`${url}/api/node/download/zip`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${people.tokenOf(who)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
  expect(response.headers.get('content-type')).toBe('application/zip');
  const bytes = Buffer.from(await response.arrayBuffer());
  const open = promisify<Buffer, object, ZipFile>(fromBuffer);
  const zip = await open(bytes, { lazyEntries: true });
  const found: Record<string, string> = {};
  zip.on('entry', (entry: Entry) => {
    zip.openReadStream(entry, async (error, stream) => {
      found[entry.fileName] = error === null ? await text(stream) : String(error);
      zip.readEntry();
    });
  });
  zip.readEntry();
  await once(zip, 'end');
  return found;
}

describe('a table of nodes', () => {
  test('has the columns of the contract, and all fields of the type', async () => {
    const [header, ...table] = await rows('admin', { type: 'Note' });
    expect(header?.slice(5).join()).toBe('Id,Text,Price,Count,Tags,Secret,At,Raw');
    expect(header?.slice(0, 5)).toEqual(COLUMNS);
    expect(table).toEqual([
      [
        `/#/node/${uid('open')}`,
        uid('open'),
        'Note',
        '2',
        '2026-01-03T00:00:00.000Z',
        'open',
        '\'=cmd|" /C calc"!A0',
        '-2.50',
        '-7',
        '["a","=b"]',
        'secret of open',
        '{"lat":1.5,"lon":-2}',
        'AAEC',
      ],
      [
        `/#/node/${uid('+sales')}`,
        uid('+sales'),
        'Note',
        '3',
        '2026-01-02T00:00:00.000Z',
        "'+sales",
        'one, "quoted"\r\nline',
        '',
        '',
        '',
        'secret of +sales',
        '',
        '',
      ],
    ]);
  });

  test('is a file', async () => {
    const { headers, text: body } = await download('ann', 'csv', { type: 'Note' });
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="Note.csv"');
    expect(headers.get('x-msk-sequence')).toMatch(/^\d+$/);
    expect(body.startsWith('Link,')).toBe(true);
  });

  test('shows what the reader may see, and counts no edge beyond it', async () => {
    const fields = ['Secret', 'Id'];
    const seen = async (who: string) =>
      (await rows(who, { uids: [...uids.values()], fields })).slice(1).map((row) => row.slice(3));
    expect(await seen('ann')).toEqual([
      ['2', '2026-01-03T00:00:00.000Z', '', 'open'],
      ['2', expect.any(String), '', "'=topic"],
    ]);
    expect(await seen('read-token')).toEqual(await seen('ann'));
    expect(await seen('bob')).toEqual([
      ['2', '2026-01-03T00:00:00.000Z', 'secret of open', 'open'],
      ['2', '2026-01-02T00:00:00.000Z', 'secret of +sales', "'+sales"],
      ['4', expect.any(String), '', "'=topic"],
    ]);
  });

  test('has the fields that were asked for, in their order', async () => {
    const body = { uids: [uid('=topic'), uid('open')], fields: ['Rank', 'Name', 'Type', 'Text'] };
    const table = await rows('admin', body);
    expect(table.map((row) => row.slice(5))).toEqual([
      ['Rank', 'Name', 'Text'],
      ['-1', "'=topic", ''],
      ['', 'open', '\'=cmd|" /C calc"!A0'],
    ]);
  });

  test('links to where the nodes are shown', async () => {
    const link = async (base: string) =>
      (await rows('ann', { uids: [uid('open')] }, `?baseURL=${encodeURIComponent(base)}`))[1]?.[0];
    expect(await link('https://trellis.example/app/')).toBe(
      `https://trellis.example/app/#/node/${uid('open')}`,
    );
    expect(await link('http://localhost:8080')).toBe(`http://localhost:8080/#/node/${uid('open')}`);
  });

  test.each([
    ['javascript:alert(1)'],
    ['/relative'],
    ['trellis.example'],
    ['https://user@trellis.example'],
    ['https://trellis.example/?a=b'],
    ['https://trellis.example/\r\nSet-Cookie:a'],
    ['=HYPERLINK("http://x")'],
    [''],
  ])('does not link to %j', async (base) => {
    const query = `?baseURL=${encodeURIComponent(base)}`;
    for (const kind of ['csv', 'jsonl', 'zip']) {
      const answer = await download('ann', kind + query, { type: 'Note' });
      expect([answer.status, answer.json]).toMatchObject([
        400,
        { error: { code: 'invalid_request', details: { fields: [{ path: 'baseURL' }] } } },
      ]);
    }
  });

  test.each([
    [{}, ''],
    [{ type: 'Notes' }, 'type'],
    [{ type: 'Note', fields: ['Text', 'Txt'] }, 'fields.1'],
    [{ type: 'Note', fields: ['Rank'] }, 'fields.0'],
    [{ uids: [], fields: ['__proto__x'] }, 'fields.0'],
  ])('of %j is refused', async (body, path) => {
    for (const kind of ['csv', 'jsonl', 'zip']) {
      const { status, json } = await download('ann', kind, body);
      expect([status, json]).toMatchObject([
        400,
        { error: { code: 'invalid_request', details: { fields: [{ path }] } } },
      ]);
    }
  });
});

describe('as lines of JSON, nodes', () => {
  test('are as they are, without what may not be read', async () => {
    const [line] = await lines('ann', { uids: [uid('open')] });
    expect(line).toEqual({
      Link: `/#/node/${uid('open')}`,
      UID: uid('open'),
      Type: 'Note',
      EdgeCount: 2,
      Timestamp: '2026-01-03T00:00:00.000Z',
      Id: 'open',
      Text: '=cmd|" /C calc"!A0',
      Price: '-2.50',
      Count: -7,
      Tags: ['a', '=b'],
      At: { lat: 1.5, lon: -2 },
      Raw: 'AAEC',
    });
    const [asBob] = await lines('bob', { uids: [uid('open')], fields: ['Secret'] });
    expect(Object.keys(asBob ?? {})).toEqual([...COLUMNS, 'Secret']);
  });
});

describe('a package of nodes', () => {
  test('has a table for each type of which there is a node to be seen', async () => {
    const body = { uids: [uid('+sales'), uid('=topic'), uid('open')] };
    const asAnn = await files('ann', body);
    expect(Object.keys(asAnn).toSorted()).toEqual(['Note.csv', 'Topic.csv']);
    expect(asAnn['Note.csv']).toBe((await download('ann', 'csv', { type: 'Note' })).text);
    expect(asAnn['Topic.csv']).toBe((await download('ann', 'csv', { type: 'Topic' })).text);
    expect(Object.keys(await files('ann', { uids: [uid('+sales')] }))).toEqual([]);
    const some = await files('bob', { ...body, fields: ['Rank', 'Secret'] });
    expect(some['Topic.csv']?.split('\r\n')[0]).toBe([...COLUMNS, 'Rank'].join(','));
    expect(some['Note.csv']).toContain('secret of +sales');
  });
});

test.each(['csv', 'jsonl', 'zip'])(
  '%s shows of other users only the eight fields',
  async (kind) => {
    const content = async (who: string) => {
      const body = { uids: [people.uid('ann')] };
      if (kind === 'zip') return (await files(who, body))['_User.csv'] ?? '';
      return (await download(who, kind, body)).text;
    };
    const isActive = async (who: string) => {
      if (kind === 'jsonl') return JSON.parse(await content(who)).Active;
      const [header = [], row = []] = parse(await content(who)) as string[][];
      return row[header.indexOf('Active')];
    };
    for (const who of ['bob', 'guest', 'read-token']) {
      expect(await isActive(who)).toBe(kind === 'jsonl' ? undefined : '');
      expect(await content(who)).toContain('ann@example.com');
    }
    for (const who of ['ann', 'admin']) expect(String(await isActive(who))).toBe('true');
  },
);
