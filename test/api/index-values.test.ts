import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { valueAt } from '../support/http-client.ts';
import { BookKeeper, expectVerified } from '../support/indexed-books.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';

const MASTER_KEY = 'a master key of more than thirty-two bytes';
const LONG = 'p'.repeat(64 * 1024);
const MANY = Array.from({ length: 10_000 }, (_, i) => `item ${i}`);
const FIELDS = {
  S: 'String',
  U: 'String',
  D: 'Double',
  L: 'Long',
  C: 'Decimal',
  A: 'String[]',
  V: 'Long[]',
};
const INDEXES = [
  ...Object.keys(FIELDS).map((field) => (field === 'U' ? { field, unique: true } : { field })),
  { fields: ['S', 'D'] },
];

/** By key: values at the limits of what fields take. */
const NODES: Readonly<Record<string, object>> = {
  empty: { S: '', U: '', A: [], V: [] },
  zero: { S: '\0', U: '\0', D: 0, L: 0, C: '0' },
  minus: { S: '\u0001', U: '\u0001', D: -0, L: -0, C: '-0.00' },
  even: {
    S: '\ud83d\ude00',
    U: '\ud83d\ude00',
    D: 2 ** 53,
    L: '9007199254740992',
    C: '9007199254740992',
  },
  odd: { S: '\uffff', U: '\uffff', L: '9007199254740993', C: '9007199254740993.0' },
  long: { S: LONG, U: LONG, D: Number.MAX_VALUE, L: '9223372036854775807' },
  longer: { S: `${LONG}a`, U: `${LONG}a`, D: 5e-324, L: '-9223372036854775808' },
  lists: { S: 'x', A: [...MANY, ...MANY], V: ['9007199254740992', '9007199254740993', 1, 1] },
};

/** Each is refused with the path of the field. */
const REFUSED: readonly (readonly [string, object | string])[] = [
  ['NaN', '{"D": NaN}'],
  ['the text NaN', { D: 'NaN' }],
  ['what overflows a double', '{"D": 1e400}'],
  ['a Long that a double may not hold', { L: 2 ** 53 }],
  ['a Long beyond 64 bits', { L: '9223372036854775808' }],
  ['a fraction in a Long', { L: 0.5 }],
];

describe.each([
  ['of a plain workspace', ''],
  ['of an encrypted workspace', MASTER_KEY],
])('values in indexes %s', (_, masterKey) => {
  let workspace: TestWorkspace;
  let keeper: BookKeeper;

  beforeAll(async () => {
    workspace = await startWorkspace({ MSK_GRAPH_MASTER_KEY: masterKey });
    keeper = new BookKeeper(workspace.http, workspace.token);
    const plain = { type: 'Plain', key: 'K', fields: FIELDS };
    const indexed = { type: 'Book', key: 'K', fields: FIELDS, indexes: INDEXES };
    await keeper.send('PUT', '/api/schema', { nodes: [plain, indexed], edges: [] });
    const operations = ['Plain', 'Book'].flatMap((type) =>
      Object.entries(NODES).map(([key, fields]) => ({ op: 'addOrUpdate', type, key, fields })),
    );
    await keeper.send('POST', '/api/ingest', { operations });
    const code = `export default async function ({ q, body }: Scope<{ type: string }>) {
      const at = (field: string, op: '=' | 'in' | '>', value: any) =>
        q().startWhere(body.type as any, field, op as any, value).nodes(['K'] as any);
      const keys = async (found: Promise<any[]>) => (await found).map(({ Id }) => Id).toSorted();
      const long = 'p'.repeat(64 * 1024);
      return {
        empty: await keys(at('S', '=', '')),
        zeros: await keys(at('D', '=', -0)),
        long: await keys(at('S', '=', long)),
        longer: await keys(at('U', '=', long + 'a')),
        even: await keys(at('L', '=', '9007199254740992')),
        odd: await keys(at('L', 'in', ['9007199254740993'])),
        decimal: await keys(at('C', '=', '9007199254740993')),
        above: await keys(at('C', '>', '9007199254740992')),
        item: await keys(at('A', '=', 'item 9999')),
        number: await keys(at('V', '=', '9007199254740993')),
      };
    }`;
    await keeper.send('POST', '/api/endpoints/create', { name: 'probe', isReadOnly: true, code });
  });
  afterAll(() => workspace[Symbol.asyncDispose]());

  test('are found as without an index', async () => {
    const probe = (type: string) => keeper.send('POST', '/api/endpoints/run/probe', { type });
    const found = await probe('Book');
    expect(found).toEqual(await probe('Plain'));
    expect(found).toMatchObject({
      empty: ['empty'],
      zeros: ['minus', 'zero'],
      long: ['long'],
      longer: ['longer'],
      even: ['even'],
      odd: ['odd'],
      decimal: ['odd'],
      above: ['odd'],
      item: ['lists'],
      number: ['lists'],
    });
  });

  test('are each taken once in a unique one', async () => {
    for (const fields of Object.values(NODES)) {
      const U = valueAt(fields, 'U');
      if (U === undefined) continue;
      const operations = [{ op: 'addOrUpdate', type: 'Book', key: 'copy', fields: { U } }];
      const { http, token } = keeper;
      const { status, text } = await http.send({
        path: '/api/ingest',
        token,
        body: { operations },
      });
      expect(status, text).toBe(422);
    }
  });

  test.each(REFUSED)('are refused: %s', async (__, fields) => {
    const text = typeof fields === 'string' ? fields : JSON.stringify(fields);
    const body = `{"operations":[{"op":"addOrUpdate","type":"Book","key":"bad","fields":${text}}]}`;
    const { http, token } = keeper;
    const answer = await http.send({
      method: 'POST',
      path: '/api/ingest',
      token,
      body,
    });
    expect([400, 422], answer.text).toContain(answer.status);
  });

  test('have the replacement character for a lone surrogate, and keys have none', async () => {
    const put = async (key: string, U: string) => {
      const operations = [{ op: 'addOrUpdate', type: 'Book', key, fields: { U } }];
      const { http, token } = keeper;
      return (await http.send({ path: '/api/ingest', token, body: { operations } })).status;
    };
    expect(await put('lone', 'lone \ud800')).toBe(200);
    for (const same of ['lone \udfff', 'lone \ufffd']) expect(await put('other', same)).toBe(422);
    expect(await put('key \ud800', 'another')).toBe(422);
  });

  test('are all in the indexes after changes and deletions, and nothing else is', async () => {
    const operations = Object.entries(NODES).flatMap(([key, fields], i) => [
      { op: 'addOrUpdate', type: 'Book', key, fields: { S: `new ${i}`, A: MANY.slice(i) } },
      ...(i % 2 === 0 ? [{ op: 'delete', type: 'Book', key }] : []),
      { op: 'addOrUpdate', type: 'Book', key: `${key} again`, fields: i % 2 === 0 ? fields : {} },
    ]);
    await keeper.send('POST', '/api/ingest', { operations });
    expect(await workspace.server.stop()).toBe(0);
    await expectVerified(workspace.storage, { masterKey });
  });
});
