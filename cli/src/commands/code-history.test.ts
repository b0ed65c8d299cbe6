import { expect, it } from 'vitest';
import { trellis } from '../testing/command-line.ts';
import { startService } from '../testing/service.ts';

const CHANGE = {
  uid: 'u',
  kind: 'endpoint',
  name: 'words/lookup',
  version: 3,
  at: '2026-11-21T10:00:00.000Z',
  by: { uid: 'a', name: 'ada' },
  action: 'changed',
  diff: '',
};

async function startHistory(isEqual = false) {
  const service = await startService({
    'GET /api/code/history/all': () => ({
      body: { items: [CHANGE, { ...CHANGE, by: null, version: 2 }], total: 2, skip: 0, take: 50 },
    }),
    'GET /api/code/history/item/endpoint/words/lookup': () => ({
      body: { items: [CHANGE], total: 1, skip: 0, take: 50 },
    }),
    'GET /api/code/history/diff/endpoint/words/lookup': () => ({
      body: { uid: 'u', kind: 'endpoint', name: 'words/lookup', from: 1, to: 3, diff: '+1\n' },
    }),
    'POST /api/code/history/restore/endpoint/words/lookup': ({ body }) => ({
      body: { name: 'words/lookup', version: 4, compiles: JSON.parse(body).version === 1 },
    }),
    'POST /api/code/history/compare/endpoint/words/lookup': ({ body }) => {
      const { version, with: other = 3 } = JSON.parse(body);
      const run = { version, status: 200, body: 'old', error: null, ms: 1.25 };
      const error = { code: 'endpoint_failed', message: 'no' };
      const failed = { version: other, status: null, body: null, error, ms: 2 };
      return { body: { isEqual, runs: [run, isEqual ? { ...run, version: other } : failed] } };
    },
    'GET /api/code/history/inputs/endpoint/words/lookup': () => ({
      body: { keep: 2, inputs: [2, 1].map((id) => ({ id, at: CHANGE.at, body: `{"n":${id}}` })) },
    }),
    'PUT /api/code/history/inputs/endpoint/words/lookup': ({ body }) => ({
      body: { ...JSON.parse(body), inputs: [] },
    }),
    'GET /api/endpoints/metrics': () => ({
      body: {
        items: [
          { name: 'a', calls: 7, errors: 1, averageMs: 1.234, p50Ms: 1, p95Ms: 2, p99Ms: 3 },
          { name: 'b', calls: 0, errors: 0, averageMs: null, p50Ms: null, p95Ms: null },
        ],
      },
    }),
    'GET /api/graph/stats/pool': () => ({ body: 'POOL' }),
  });
  const call = (...args: string[]) => trellis([...args, '--server', service.url]);
  return { call, requests: service.requests };
}

it('history lists the changes of all endpoints, or of one', async () => {
  const { call } = await startHistory();
  expect((await call('endpoint', 'history')).stdout).toBe(`\
AT                        VERSION  ACTION   BY   KIND      NAME
2026-11-21T10:00:00.000Z  3        changed  ada  endpoint  words/lookup
2026-11-21T10:00:00.000Z  2        changed       endpoint  words/lookup
`);
  const one = await call('endpoint', 'history', 'words/lookup', '--json');
  expect(JSON.parse(one.stdout)).toEqual([CHANGE]);
  const wrong = await call('endpoint', 'history', 'words/lookup', '--from', '2026-11-01T00:00:00Z');
  expect(wrong.code).toBe(2);
});

it('diff prints the diff, and restore says what became of it', async () => {
  const { call, requests } = await startHistory();
  const diff = await call('endpoint', 'diff', 'words/lookup', '--from', '1', '--to', '3');
  expect(diff.stdout).toBe('+1\n');
  const restored = await call('endpoint', 'restore', 'words/lookup', '1');
  expect([restored.code, restored.stderr]).toEqual([
    0,
    'words/lookup is at version 4, which is what version 1 was.\n',
  ]);
  expect(requests.at(-1)?.body).toBe('{"version":1}');
  expect((await call('endpoint', 'restore', 'words/lookup', '2')).code).toBe(1);
  expect((await call('endpoint', 'restore', 'words/lookup', 'two')).code).toBe(2);
});

it('a migration has a history, a diff and a way back as well', async () => {
  const version = { ...CHANGE, kind: 'migration', name: '001' };
  const service = await startService({
    'GET /api/code/history/item/migration/001': () => ({
      body: { items: [version], total: 1, skip: 0, take: 50 },
    }),
    'GET /api/code/history/diff/migration/001': () => ({
      body: { uid: 'u', kind: 'migration', name: '001', from: 2, to: 3, diff: '+2\n' },
    }),
    'POST /api/code/history/restore/migration/001': () => ({
      body: { name: '001', version: 4, compiles: true },
    }),
  });
  const call = (...args: string[]) => trellis(['migration', ...args, '--server', service.url]);
  expect(JSON.parse((await call('history', '001', '--json')).stdout)).toEqual([version]);
  expect((await call('diff', '001')).stdout).toBe('+2\n');
  const restored = await call('restore', '001', '2');
  expect([restored.code, restored.stderr]).toEqual([
    0,
    '001 is at version 4, which is what version 2 was.\n',
  ]);
});

it('compare shows both runs; the exit code says whether they are equal', async () => {
  const { call, requests } = await startHistory();
  const different = await call('endpoint', 'compare', 'words/lookup', '1', '{"word":"dog"}');
  expect(different.code).toBe(1);
  expect(different.stdout).toBe(`\
VERSION  STATUS  MS   ANSWER
1        200     1.3  "old"
3        failed  2.0  endpoint_failed: no
`);
  expect(JSON.parse(requests.at(-1)?.body ?? '')).toEqual({ version: 1, body: { word: 'dog' } });
  const equal = await startHistory(true);
  expect((await equal.call('endpoint', 'compare', 'words/lookup', '1', '--with', '2')).code).toBe(
    0,
  );
});

it('inputs are recorded on demand, and compare calls with each of them', async () => {
  const { call, requests } = await startHistory();
  expect((await call('endpoint', 'inputs', 'words/lookup')).stdout).toBe(`\
ID  AT                        BODY
2   2026-11-21T10:00:00.000Z  {"n":2}
1   2026-11-21T10:00:00.000Z  {"n":1}
`);
  const off = await call('endpoint', 'inputs', 'words/lookup', '--keep', '0');
  expect([requests.at(-1)?.body, off.stderr]).toEqual([
    '{"keep":0}',
    'Bodies of words/lookup are not recorded.\n',
  ]);
  const compared = await call('endpoint', 'compare', 'words/lookup', '1', '--recorded');
  expect([compared.code, compared.stderr]).toEqual([
    1,
    'They do not answer the same: 2 of 2 differ.\n',
  ]);
  expect(requests.slice(-2).map(({ body }) => JSON.parse(body))).toEqual([
    { version: 1, input: 2 },
    { version: 1, input: 1 },
  ]);
  expect((await call('endpoint', 'compare', 'words/lookup', '1', '{}', '--recorded')).code).toBe(2);
  expect((await call('endpoint', 'inputs', 'words/lookup', '--keep', 'x')).code).toBe(2);
});

it('metrics and stats show what the server counts', async () => {
  const { call } = await startHistory();
  expect((await call('endpoint', 'metrics')).stdout).toBe(`\
NAME  CALLS  ERRORS  AVERAGE MS  P50   P95   P99   LAST CALL
a     7      1       1.23        1.00  2.00  3.00
b     0      0
`);
  expect((await call('stats', 'pool')).stdout).toBe('"POOL"\n');
});
