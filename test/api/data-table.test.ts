import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TABLE_SCAN_MAX } from '@trellis/contract/limits.ts';
import { valueAt } from '../support/http-client.ts';
import { People } from '../support/people.ts';

type Row = Readonly<Record<string, unknown>>;

/** Rows whose prices, names and times are often equal, or missing; every seventh is hidden. */
const ROWS = Array.from({ length: 60 }, (_, i) => ({
  key: `t${String(i).padStart(2, '0')}`,
  fields: {
    ...(i % 5 === 0 ? {} : { Cost: i % 4 }),
    Title: `title ${i % 3}`,
    ...(i % 6 === 0 ? {} : { Due: new Date(Date.UTC(2026, 0, 1 + (i % 3))).toISOString() }),
    Done: i % 2 === 0,
    Secret: i,
    Tags: [`tag ${i % 2}`],
  },
  timestamp: Date.UTC(2026, 0, 1 + (i % 4)),
}));

let people: People;
beforeAll(async () => {
  people = await People.start();
  await people.add('ann');
  await people.add('bob');
  const fields = {
    Cost: 'Int',
    Title: 'String',
    Due: 'Time',
    Done: 'Bool',
    Secret: 'Int',
    Tags: 'String[]',
    Plain: 'Int',
  };
  await ok('PUT', '/api/schema', {
    nodes: [
      {
        type: 'Task',
        key: 'Name',
        fields,
        indexes: [{ field: 'Cost' }, { field: 'Due' }, { fields: ['Title', 'Cost'] }],
      },
    ],
    edges: [],
  });
  const user = { uid: people.uid('bob') };
  await ok('POST', '/api/ingest', {
    operations: ROWS.flatMap((row, i) => [
      { op: 'addOrUpdate', type: 'Task', ...row },
      ...(i % 7 === 0 ? [{ op: 'restrict', node: { type: 'Task', key: row.key }, user }] : []),
    ]),
  });
  const types = { Task: { fields: { Secret: { users: [people.uid('bob')] } } } };
  await ok('PUT', '/api/access/types', { types });
});
afterAll(() => people[Symbol.asyncDispose]());

async function ok(method: string, path: string, body?: unknown): Promise<unknown> {
  const { status, json, text } = await people.as('admin', method, path, body);
  if (status !== 200) throw new Error(text);
  return json;
}

const TABLE = '/api/cce/system/table';

async function page(who: string, body: object): Promise<{ items: Row[]; next: string | null }> {
  const { status, json, text } = await people.as(who, 'POST', TABLE, { type: 'Task', ...body });
  if (status !== 200) throw new Error(text);
  return Object(json);
}

/** Every row, a page after the other; `between` runs after each page. */
async function all(
  who: string,
  body: object,
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<string[]> {
  const keys: string[] = [];
  let after: string | null = null;
  do {
    const { items, next }: { items: Row[]; next: string | null } = await page(who, {
      ...body,
      ...(after === null ? {} : { after }),
    });
    keys.push(...items.map(({ Id }) => String(Id)));
    after = next;
    await between();
  } while (after !== null);
  return keys;
}

const SORTS = [
  undefined,
  ...['Timestamp', 'Cost', 'Title', 'Due', 'Done', 'Name', 'Id', 'Secret', 'Plain'].flatMap(
    (field) => (['asc', 'desc'] as const).map((direction) => ({ field, direction })),
  ),
];

describe('pages, put together, are the whole', () => {
  test.each(SORTS)('sorted by %j', async (sort) => {
    for (const who of ['admin', 'ann', 'bob']) {
      const whole = await page(who, { ...(sort && { sort }), take: 1_000 });
      const keys = whole.items.map(({ Id }) => Id);
      expect(keys).toHaveLength(who === 'ann' ? 51 : 60);
      expect(await all(who, { ...(sort && { sort }), take: 7 }), who).toEqual(keys);
    }
  });

  test.each([
    [{ field: 'Title', compare: '=', value: 'title 1' }],
    [{ field: 'Cost', compare: '>', value: 1 }],
    [{ field: 'Tags', compare: 'contains', value: 'tag 1' }],
    [{ field: 'Due', compare: 'exists', value: false }],
    [{ field: 'Secret', compare: '<', value: 30 }],
  ])('where %j', async (condition) => {
    for (const sort of [undefined, { field: 'Cost' }, { field: 'Due', direction: 'desc' }]) {
      const body = { where: [condition], ...(sort && { sort }) };
      for (const who of ['ann', 'bob']) {
        const whole = (await page(who, { ...body, take: 1_000 })).items.map(({ Id }) => Id);
        expect(await all(who, { ...body, take: 4 }), who).toEqual(whole);
        expect(whole.length === 0).toBe(who === 'ann' && condition.field === 'Secret');
      }
    }
  });
});

describe('where only some rows are read for each page', () => {
  const scan = 10;
  const conditions = [
    { field: 'Tags', compare: 'contains', value: 'tag 1' },
    { field: 'Plain', compare: 'exists', value: true },
    { field: 'Name', compare: '>', value: 't50' },
    { field: 'Done', compare: '=', value: true },
  ];

  test.each(conditions)('pages are the whole, where %j', async (condition) => {
    for (const sort of [
      undefined,
      { field: 'Timestamp', direction: 'desc' },
      { field: 'Cost' },
      { field: 'Due', direction: 'desc' },
    ]) {
      // Of few rows that one index leaves, none are read in the order of another.
      const narrowed = sort?.field === 'Due' ? [] : [{ field: 'Cost', compare: '>=', value: 1 }];
      for (const more of [[], narrowed]) {
        const body = { where: [condition, ...more], ...(sort && { sort }) };
        for (const who of ['ann', 'bob']) {
          const whole = (await page(who, { ...body, take: 1_000 })).items.map(({ Id }) => Id);
          expect(await all(who, { ...body, scan, take: 4 }), who).toEqual(whole);
          expect(await all(who, { ...body, scan, take: 100 }), who).toEqual(whole);
        }
      }
    }
  });

  test('they are counted so far, and the plan tells how many are read', async () => {
    const where = [{ field: 'Name', compare: 'endsWith', value: '3' }];
    const first = await page('admin', { where, scan, total: true, plan: true });
    expect(first.items.length).toBeLessThan(scan);
    expect(first).toMatchObject({
      next: expect.any(String),
      total: first.items.length,
      isTotalExact: false,
      plan: { access: 'scan', rowsRead: scan },
    });
  });

  test('more are not sorted without an index', async () => {
    const refused = async (who: string, body: object) => {
      const { status, json } = await people.as(who, 'POST', TABLE, { type: 'Task', ...body });
      return [status, Object(json).error?.code, Object(json).error?.details];
    };
    const needed = [400, 'index_needed', { type: 'Task', field: 'Plain' }];
    // Ann does not see nine of the sixty.
    for (const [who, rows] of [
      ['admin', 60],
      ['ann', 51],
    ] as const) {
      const sort = { field: 'Plain' };
      expect((await refused(who, { sort, scan: rows }))[0]).toBe(200);
      expect((await refused(who, { sort, scan: rows + 1 }))[0]).toBe(200);
      expect(await refused(who, { sort, scan: rows - 1 })).toEqual(needed);
    }
    const up = { sort: { field: 'Timestamp' }, scan };
    expect((await refused('admin', up))[0]).toBe(200);
    const tags = { field: 'Tags', compare: 'contains', value: 'tag 1' };
    expect((await refused('admin', { ...up, where: [tags] }))[1]).toBe('index_needed');
    // An index leaves few.
    const few = { field: 'Cost', compare: '=', value: 1 };
    expect((await refused('admin', { ...up, scan: TABLE_SCAN_MAX, where: [few] }))[0]).toBe(200);
    expect((await refused('admin', { sort: { field: 'Plain' }, scan: 20, where: [few] }))[0]).toBe(
      200,
    );
  });
});

describe('where rows are hidden', () => {
  const TYPES = ['Open', 'Closed'];
  beforeAll(async () => {
    const fields = { Cost: 'Int', Plain: 'Int', Secret: 'Int' };
    const indexes = [{ field: 'Cost' }, { field: 'Secret' }];
    await ok('PUT', '/api/schema', {
      nodes: TYPES.map((type) => ({ type, key: 'Name', fields, indexes })),
      edges: [],
    });
    const row = (type: string, key: string, i: number) => ({
      op: 'addOrUpdate',
      type,
      key,
      fields: { Cost: i % 4, Plain: i % 3, Secret: i % 5 },
      timestamp: Date.UTC(2026, 0, 1, 0, 0, i),
    });
    const user = { uid: people.uid('bob') };
    // Of the one type there are only the rows that Ann sees.
    await ok('POST', '/api/ingest', {
      operations: [
        ...TYPES.flatMap((type) => Array.from({ length: 40 }, (_, i) => row(type, `v${i}`, i))),
        ...Array.from({ length: 1_500 }, (_, i) => i).flatMap((i) => [
          row('Closed', `h${i}`, 3),
          { op: 'restrict', node: { type: 'Closed', key: `h${i}` }, user },
        ]),
      ],
    });
    const access = { fields: { Secret: { users: [people.uid('bob')] } } };
    await ok('PUT', '/api/access/types', { types: { Task: access, Open: access, Closed: access } });
  });

  const CONDITIONS = [
    { field: 'Cost', compare: '=', value: 3 },
    { field: 'Cost', compare: '>=', value: 1 },
    { field: 'Cost', compare: 'in', value: [2, 3] },
    { field: 'Plain', compare: '>', value: 0 },
    { field: 'Secret', compare: '=', value: 3 },
  ];

  /** What Ann is told, without what names the rows. */
  async function told(type: string, body: object): Promise<unknown> {
    const { status, json } = await people.as('ann', 'POST', TABLE, { type, ...body });
    const { items = [], next, total, plan, error } = Object(json);
    const keys = items.map(({ Id }: Row) => Id);
    const { code, details } = Object(error);
    const text = JSON.stringify([status, keys, typeof next, total, plan, code, details]);
    return JSON.parse(text.replaceAll(type, 'Type'));
  }

  const sorts = [undefined, 'Timestamp', 'Cost', 'Plain', 'Secret'];
  test.each(sorts)('no answer tells of their number, sorted by %s', async (field) => {
    const sort = field === undefined ? {} : { sort: { field } };
    for (const first of CONDITIONS) {
      for (const where of [[first], [first, CONDITIONS[3]], [CONDITIONS[1], first]]) {
        for (const scan of [8, 1_000]) {
          const body = { where, ...sort, scan, take: 5, total: true, plan: true };
          const [open, closed] = [await told('Open', body), await told('Closed', body)];
          expect(closed, JSON.stringify(body)).toEqual(open);
        }
      }
    }
  });
});

describe('while others write', () => {
  test('no row that stays comes twice or is missed', async () => {
    const sort = { field: 'Cost', direction: 'desc' };
    const whole = await all('bob', { sort, take: 1_000 });
    let made = 0;
    const extra = (): { type: string; key: string } => ({ type: 'Task', key: `extra ${made}` });
    const keys = await all('bob', { sort, take: 7 }, async () => {
      const gone = extra();
      made++;
      await ok('POST', '/api/ingest', {
        operations: [
          {
            op: 'addOrUpdate',
            ...extra(),
            fields: { Cost: made % 4 },
            timestamp: Date.UTC(2026, 0, 3),
          },
          { op: 'delete', ...gone },
        ],
      });
    });
    await ok('POST', '/api/ingest', { operations: [{ op: 'delete', ...extra() }] });
    expect(keys.filter((key) => !key.startsWith('extra'))).toEqual(whole);
  });

  test('the last row of a page may be deleted, changed or hidden', async () => {
    const sort = { field: 'Cost' };
    const whole = await all('ann', { sort, take: 1_000 });
    for (const change of [
      (key: string) => ({ op: 'update', type: 'Task', key, fields: { Cost: 99 } }),
      (key: string) => ({ op: 'delete', type: 'Task', key }),
    ]) {
      const first = await page('ann', { sort, take: 5 });
      const last = first.items[4];
      const key = String(last?.['Id']);
      await ok('POST', '/api/ingest', { operations: [change(key)] });
      const rest = await all('ann', { sort, take: 1_000, after: first.next });
      expect(rest.filter((one) => one !== key)).toEqual(whole.slice(5));
      const operations = [
        { op: 'addOrUpdate', type: 'Task', ...ROWS.find((row) => row.key === key) },
      ];
      await ok('POST', '/api/ingest', { operations });
    }
  });
});

test('it shows the fields that are asked for, counts, and tells of its plan', async () => {
  const body = {
    fields: ['Title'],
    where: [{ field: 'Title', compare: '=', value: 'title 0' }],
    sort: { field: 'Cost' },
    take: 2,
    total: true,
    plan: true,
  };
  const answer = await page('ann', body);
  expect(Object.keys(answer.items[0] ?? {}).toSorted()).toEqual(
    ['Id', 'Timestamp', 'Title', 'Type', 'UID'].toSorted(),
  );
  expect(answer).toMatchObject({
    total: 17,
    isTotalExact: true,
    plan: { access: 'index', index: 'Title, Cost', advice: [] },
  });
  const scan = await page('ann', { sort: { field: 'Plain' }, plan: true });
  expect(scan).toMatchObject({
    plan: { access: 'scan', advice: [{ type: 'Task', field: 'Plain' }] },
  });
});

test.each([
  [{ type: 'Nothing' }, 'type'],
  [{ where: [{ field: 'Nope', compare: '=', value: 1 }] }, 'where.0.field'],
  [{ where: [{ field: 'Cost', compare: 'startsWith', value: 1 }] }, 'where.0.value'],
  [{ sort: { field: 'Nope' } }, 'sort.field'],
  [{ sort: { field: 'Tags' }, take: 3 }, 'sort.field'],
  [{ fields: ['Title', 'Nope'] }, 'fields.1'],
  [{ after: 'nonsense' }, 'after'],
  [{ take: 0 }, 'take'],
  [{ scan: 7 }, 'scan'],
  [{ scan: TABLE_SCAN_MAX + 1 }, 'scan'],
])('it refuses %j, and names the place', async (body, path) => {
  const { status, json } = await people.as('admin', 'POST', TABLE, { type: 'Task', ...body });
  expect([status, valueAt(json, 'error', 'code')]).toEqual([400, 'invalid_request']);
  expect(valueAt(json, 'error', 'details', 'fields')).toMatchObject([{ path }]);
});

test('a cursor is for its query alone', async () => {
  const { next } = await page('admin', { take: 1 });
  const other = { type: 'Task', sort: { field: 'Cost' }, after: next };
  expect((await people.as('admin', 'POST', TABLE, other)).status).toBe(400);
});
