import { afterAll, beforeAll, expect, it } from 'vitest';
import { valueAt } from '../support/http-client.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';

let at: TestWorkspace;
beforeAll(async () => {
  at = await startWorkspace({ NODE_OPTIONS: '--max-old-space-size=1024' });
  const nodes = [{ type: 'Item', key: 'Name', fields: { Data: 'Json' } }];
  const schema = { nodes, edges: [] };
  const { status, text } = await at.http.send({
    method: 'PUT',
    path: '/api/schema',
    token: at.token,
    body: schema,
  });
  expect(status, text).toBeLessThan(300);
});
afterAll(() => at[Symbol.asyncDispose]());

/**
 * An operation whose field is a list of so many empty lists: 3 bytes each, and many times as much
 * when it is parsed.
 */
function line(key: string, lists: number): string {
  const data = `[${'[],'.repeat(lists - 1)}[]]`;
  return `{"op":"addOrUpdate","type":"Item","key":"${key}","fields":{"Data":${data}}}\n`;
}

function send(lines: readonly string[]) {
  const headers = { 'content-type': 'application/x-ndjson' };
  return at.http.send({ path: '/api/ingest', token: at.token, headers, body: lines.join('') });
}

it('lines that are small and large when they are parsed are refused, and the writer goes on', async () => {
  const heavy = line('heavy', 5_500_000);
  expect(heavy.length).toBeLessThan(16 * 1024 * 1024);
  const answers = await Promise.all([send([heavy, heavy, heavy]), send([heavy, heavy, heavy])]);
  for (const { status, json } of answers) {
    expect([status, valueAt(json, 'error', 'code')]).toEqual([413, 'line_too_large']);
  }
  expect((await send([line('light', 10)])).status).toBe(200);
});

it('so are commits, and one large one at a time is taken', async () => {
  const much = Array.from({ length: 12 }, (_, i) => line(`much${i}`, 900_000));
  const large = line('large', 700_000);
  const [refused, ...taken] = await Promise.all([send(much), send([large]), send([large])]);
  expect([refused.status, valueAt(refused.json, 'error', 'code')]).toEqual([
    413,
    'commit_too_large',
  ]);
  expect(taken.map(({ status }) => status)).toEqual([200, 200]);
});
