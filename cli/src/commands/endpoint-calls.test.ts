import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scratchFolder, trellis } from '../testing/command-line.ts';
import { refusal, startService } from '../testing/service.ts';

const CALL = {
  at: '2026-11-28T12:07:31.412Z',
  kind: 'call',
  user: { uid: 'u1', name: 'ada' },
  status: 409,
  code: 'write_conflict',
  ms: 4.271,
  bytes: 0,
  run: null,
  traceId: 't1',
  trace: 'abc',
};
const span = { error: null, facts: {} };
const TRACE = {
  id: 'abc',
  endpoint: 'count-up',
  version: 2,
  kind: 'call',
  at: CALL.at,
  user: CALL.user,
  status: 409,
  code: 'write_conflict',
  ms: 4.271,
  reason: 'conflict',
  attempts: 2,
  cpuMs: 3.1,
  heapBytes: 24 * 1024 * 1024,
  input: '{"by":1}',
  spans: [
    { ...span, id: 1, parent: null, kind: 'attempt', name: '', startMs: 0.3, ms: 1 },
    { ...span, id: 3, parent: 1, kind: 'log', name: 'a\u001b[31mb', startMs: 0.5, ms: 0 },
    {
      id: 2,
      parent: 1,
      kind: 'query',
      name: 'startAt(Book) count',
      startMs: 0.6,
      ms: 0.25,
      error: 'invalid_query',
      facts: { rowsRead: 7 },
    },
  ],
  counted: [{ name: 'get', count: 9 }],
  traceId: 't1',
};

const PROFILE = { nodes: [], startTime: 1, endTime: 2, samples: [], timeDeltas: [] };

async function startTraces() {
  const service = await startService({
    'GET /api/build/endpoint-calls/count-up': () => ({
      body: { items: [CALL, { ...CALL, trace: null }] },
    }),
    'GET /api/build/call-traces/abc': () => ({ body: TRACE }),
    'GET /api/endpoints/count-up': () => ({ body: { code: 'code', isReadOnly: false } }),
    'POST /api/build/run-draft': () => ({
      body: { status: 200, body: 1, error: null, ms: 3, profile: PROFILE },
    }),
    'GET /api/build/call-traces/none': () => refusal(404, 'trace_not_found'),
  });
  return { ...service, server: ['--server', service.url] };
}

it('lists calls with the ids of their traces', async () => {
  const { server } = await startTraces();
  const { code, stdout } = await trellis(['endpoint', 'calls', 'count-up', ...server]);
  expect(code).toBe(0);
  const [headings, ...rows] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
  expect(headings).toEqual(['AT', 'WHO', 'KIND', 'STATUS', 'MS', 'BYTES', 'TRACE']);
  expect(rows.map((row) => row.slice(1))).toEqual([
    ['ada', 'call', '409 write_conflict', '4.3', '0', 'abc'],
    ['ada', 'call', '409 write_conflict', '4.3', '0', '-'],
  ]);
});

it('shows a trace as a tree, without what a terminal would obey', async () => {
  const { server } = await startTraces();
  const { code, stdout } = await trellis(['endpoint', 'trace', 'abc', ...server]);
  expect(code).toBe(0);
  expect(stdout).not.toContain('\u001b');
  expect(stdout).toContain('kept as conflict, processor 3.1 ms, heap 24 MB, 2 attempts');
  expect(stdout).toMatch(/\n0\.3 +1\.0 +attempt\n/);
  expect(stdout).toMatch(/\n0\.6 +0\.3 + query startAt\(Book\) count +invalid_query, rowsRead 7\n/);
  expect(stdout).toContain('and get 9 times');
  const json = await trellis(['endpoint', 'trace', 'abc', '--json', ...server]);
  expect(JSON.parse(json.stdout)).toEqual(TRACE);
});

it('writes the profile of a run', async () => {
  const { server, requests } = await startTraces();
  const file = join(scratchFolder(), 'a.cpuprofile');
  const args = ['endpoint', 'profile', 'count-up', '{"by":1}', '--out', file, ...server];
  const { code, stdout } = await trellis(args);
  expect({ code, stdout }).toEqual({ code: 0, stdout: `count-up: 200 after 3 ms, ${file}\n` });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(PROFILE);
  expect(JSON.parse(requests.at(-1)?.body ?? '')).toEqual({
    name: 'count-up',
    code: 'code',
    isReadOnly: false,
    body: { by: 1 },
    profile: true,
  });
});

it('fails for a trace that there is not', async () => {
  const { server } = await startTraces();
  expect((await trellis(['endpoint', 'trace', 'none', ...server])).code).toBe(1);
});
