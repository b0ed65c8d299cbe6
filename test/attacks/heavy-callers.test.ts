import { afterAll, beforeAll, expect, it } from 'vitest';
import { People } from '../support/people.ts';
import { scale } from '../support/scale.ts';

let people: People;

/**
 * Reads one after the other, each of many nodes: it comes back between them, so it never seems
 * stuck.
 */
const HEAVY = `export default async function ({ q }: Scope) {
  for (let read = 0; read < 20; read++) await q().startAt('Thing').nodes();
  return 'heavy';
}`;
const SMALL = `export default function () { return 'small'; }`;
const SCHEMA = { nodes: [{ type: 'Thing', key: 'Name', fields: { Text: 'String' } }], edges: [] };
const THINGS = Array.from({ length: 3_000 }, (_, i) => ({
  op: 'addOrUpdate',
  type: 'Thing',
  key: `t${i}`,
  fields: { Text: `thing ${i}` },
}));

beforeAll(async () => {
  people = await People.start();
  for (const name of ['mallory', 'bob']) await people.add(name);
  await people.as('admin', 'PUT', '/api/schema', SCHEMA);
  await people.as('admin', 'POST', '/api/ingest', { operations: THINGS });
  for (const [name, code] of Object.entries({ heavy: HEAVY, small: SMALL })) {
    const endpoint = { name, code, isReadOnly: true };
    const { status, text } = await people.as('admin', 'POST', '/api/endpoints/create', endpoint);
    expect([status, text]).toEqual([201, expect.any(String)]);
  }
});
afterAll(() => people[Symbol.asyncDispose]());

it('a small call goes on being answered while another caller sends heavy ones', async () => {
  const over = new AbortController();
  const senders = Array.from({ length: 12 }, async () => {
    for (let call = 0; call < scale({ sample: 2, soak: 20 }); call++) {
      // A busy machine may stop one that takes longer than an endpoint may.
      expect([200, 504]).toContain((await run('mallory', 'heavy')).status);
    }
  });
  const heavy = Promise.all(senders).finally(() => over.abort());
  let answered = 0;
  while (!over.signal.aborted) {
    expect((await run('bob', 'small')).status).toBe(200);
    answered++;
  }
  await heavy;
  // The small calls run one after the other. One that had to wait for the heavy ones would take
  // as long as all of these together.
  expect(answered).toBeGreaterThan(50);
});

function run(as: string, endpoint: string) {
  return people.as(as, 'POST', `/api/endpoints/run/${endpoint}`, {});
}
