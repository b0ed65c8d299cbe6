import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { field, type Answer } from '../support/http-client.ts';
import { People } from '../support/people.ts';

const YEARS = [2001, 1999, 2001, 1987, 2001, 2010, 1999, 2020];

let people: People;
const admin = (method: string, path: string, body?: unknown): Promise<Answer> =>
  people.as('admin', method, path, body);

beforeAll(async () => {
  people = await People.start();
  await people.add('ann');
  await admin('PUT', '/api/schema', {
    nodes: [
      {
        type: 'Book',
        key: 'Id',
        fields: { Id: 'String', Year: 'Int', Title: 'String', Isbn: 'String', Tags: 'String[]' },
      },
    ],
    edges: [],
  });
  const books = YEARS.map((Year, i) => ({
    op: 'addOrUpdate',
    type: 'Book',
    key: `b${i}`,
    timestamp: Date.UTC(2026, 0, 1 + i),
    fields: { Year, Title: `Title ${i}`, Isbn: i < 2 ? 'same' : `isbn ${i}`, Tags: ['all'] },
  }));
  await expectStatus(200, admin('POST', '/api/ingest', { operations: books }));
});

afterAll(() => people[Symbol.asyncDispose]());

async function expectStatus(status: number, asked: Promise<Answer>): Promise<Answer> {
  const answer = await asked;
  expect(answer.status, answer.text).toBe(status);
  return answer;
}

function putIndexes(...wanted: readonly object[]): Promise<Answer> {
  return admin('PUT', '/api/schema', {
    nodes: [{ type: 'Book', fields: {}, indexes: wanted }],
    edges: [],
  });
}

async function indexes(): Promise<readonly Record<string, unknown>[]> {
  const { json } = await expectStatus(200, admin('GET', '/api/schema'));
  const { nodes } = json as { nodes: { type: string; indexes?: Record<string, unknown>[] }[] };
  return nodes.find(({ type }) => type === 'Book')?.indexes ?? [];
}

let probes = 0;

/** Runs endpoint code. */
async function run(code: string): Promise<unknown> {
  const name = `probe-${++probes}`;
  const body = { name, code: `export default async ({ q }: Scope) => (${code});` };
  await expectStatus(201, admin('POST', '/api/endpoints/create', body));
  return (await expectStatus(200, admin('POST', `/api/endpoints/run/${name}`, {}))).json;
}

describe('indexes of fields', () => {
  test('are built over nodes that there are, and answer as a scan does', async () => {
    const question = `{
      equal: await q().startWhere('Book', 'Year', '=', 2001).uids(),
      range: await q().startWhere('Book', 'Year', '>', 1999).take(3).uids(),
      sorted: await q().startAt('Book').sortBy('Year').take(4).uids(),
      groups: await q().startAt('Book').groupBy('Year'),
      count: await q().startAt('Book').where('Year', '<=', 1999).count(),
    }`;
    const before = await run(question);
    await expectStatus(200, putIndexes({ field: 'Year' }, { fields: ['Year', 'Title'] }));
    await expect.poll(indexes).toEqual([
      { field: 'Year', state: 'ready', entries: YEARS.length },
      { fields: ['Year', 'Title'], state: 'ready', entries: YEARS.length },
    ]);
    expect(await run(question)).toEqual(before);
  });

  test('are what explain() names, and what it advises', async () => {
    const explained = await run(
      `await q().startWhere('Book', 'Year', '=', 2001).take(2).explain()`,
    );
    expect(explained).toEqual({
      steps: [
        {
          step: 'startWhere',
          access: 'index',
          index: 'Year',
          rowsRead: 3,
          rowsOut: 3,
          ms: expect.any(Number),
        },
        { step: 'take', access: 'scan', rowsRead: 0, rowsOut: 2, ms: expect.any(Number) },
      ],
      advice: [],
    });
    const scanned = await run(`await q().startWhere('Book', 'Isbn', '=', 'same').explain()`);
    expect(scanned).toMatchObject({
      steps: [{ step: 'startWhere', access: 'scan', rowsRead: expect.any(Number), rowsOut: 2 }],
      advice: [{ type: 'Book', field: 'Isbn', why: expect.stringContaining('Isbn') }],
    });
  });

  test('refuse a value that another node has, and say which', async () => {
    await expectStatus(200, putIndexes({ field: 'Title', unique: true }));
    await expect
      .poll(indexes)
      .toContainEqual({ field: 'Title', unique: true, state: 'ready', entries: YEARS.length });
    const add = (key: string, Title: string) =>
      admin('POST', '/api/ingest', {
        operations: [{ op: 'addOrUpdate', type: 'Book', key, fields: { Title } }],
      });
    const refused = await expectStatus(422, add('new', 'Title 3'));
    expect(refused.json).toMatchObject({
      error: {
        code: 'not_unique',
        details: { type: 'Book', field: 'Title', value: 'Title 3', uid: expect.any(String) },
      },
    });
    expect(await run(`await q().startAt('Book', 'new').count()`)).toBe(0);
    await expectStatus(200, add('new', 'Title of its own'));
    await expectStatus(200, add('new', 'Title of its own'));
    await expectStatus(
      200,
      admin('POST', '/api/ingest', { operations: [{ op: 'delete', type: 'Book', key: 'new' }] }),
    );
    await expectStatus(200, add('newer', 'Title of its own'));
    const gone = { operations: [{ op: 'delete', type: 'Book', key: 'newer' }] };
    await expectStatus(200, admin('POST', '/api/ingest', gone));
  });

  test('that cannot be unique are not there afterwards, and the job names the nodes', async () => {
    await expectStatus(200, putIndexes({ field: 'Isbn', unique: true }));
    await expect.poll(indexes).not.toContainEqual(expect.objectContaining({ field: 'Isbn' }));
    const failed = async (): Promise<unknown> => {
      const jobs = await admin('GET', '/api/jobs?kind=schema-index&state=failed');
      return jobs.json;
    };
    const uids = (await run(
      `await q().startWhere('Book', 'Isbn', '=', 'same').uids()`,
    )) as string[];
    expect(uids).toHaveLength(2);
    await expect.poll(failed).toMatchObject({
      items: [
        {
          step: `Book (Isbn): ${YEARS.length} of ${YEARS.length} nodes`,
          error: { code: 'not_unique', message: expect.stringMatching(uids.join('|')) },
        },
      ],
    });
  });

  test('are removed, and asked for again', async () => {
    const remove = (body: object) => admin('DELETE', '/api/schema/indexes', body);
    await expectStatus(204, remove({ type: 'Book', fields: ['Year', 'Title'] }));
    const left = (await indexes()).map((index) => index['field']);
    expect(left).toEqual(['Year', 'Title']);
    const again = await expectStatus(404, remove({ type: 'Book', fields: ['Year', 'Title'] }));
    expect(field(again.json, 'error', 'code')).toBe('index_not_found');
    await expectStatus(200, putIndexes({ fields: ['Year', 'Title'] }));
    await expect
      .poll(indexes)
      .toContainEqual({ fields: ['Year', 'Title'], state: 'ready', entries: YEARS.length });
  });

  test.each([
    ['no field', {}],
    ['both names', { field: 'Year', fields: ['Year'] }],
    ['a field that there is not', { field: 'Yeer' }],
    ['a list beside others', { fields: ['Tags', 'Year'] }],
    ['a field twice', { fields: ['Year', 'Year'] }],
    ['five fields', { fields: ['Year', 'Title', 'Isbn', 'Id', 'Timestamp'] }],
    ['a unique timestamp', { field: 'Timestamp', unique: true }],
    ['a member that there is not', { field: 'Year', sparse: true }],
  ])('are refused with %s', async (_, index) => {
    const answer = await expectStatus(400, putIndexes(index));
    expect(field(answer.json, 'error', 'code')).toBe('invalid_request');
  });

  test('are not made unique in place', async () => {
    const answer = await expectStatus(409, putIndexes({ field: 'Year', unique: true }));
    expect(field(answer.json, 'error', 'code')).toBe('schema_conflict');
  });
});
