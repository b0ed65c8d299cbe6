import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportFormats } from '@trellis/contract/shapes/graph-export.ts';
import type { Answer } from '../support/http-client.ts';
import { People } from '../support/people.ts';

const ITEMS = 50_000;
const TEXT_CHARACTERS = 2_000;
const MB = 1024 * 1024;

let people: People;
beforeAll(async () => {
  people = await People.start();
  await people.add('ann');
  await people.add('guest', { isGuest: true });
  await people.addToken('read-token', { kind: 'api', name: 'reads', scopes: ['read'] });
});
afterAll(() => people[Symbol.asyncDispose]());

const download = (who: string, kind: string, body: unknown): Promise<Answer> =>
  people.as(who, 'POST', `/api/node/download/${kind}`, body);

describe('nodes that are stored nowhere', () => {
  const nodes = [
    { UID: 'u', Name: '=1', Timestamp: '2026-01-01T00:00:00Z', Link: 'x', Amount: -1 },
    { Type: 'T', EdgeCount: 4, '@Note': 'a\r\nb', Amount: [1] },
  ];

  test('become a table of their own fields and time', async () => {
    const answer = await download('ann', 'synthetic/csv?baseURL=nonsense', { nodes });
    expect(answer.text).toBe(
      'Timestamp,Name,Amount,\'@Note\r\n2026-01-01T00:00:00Z,\'=1,-1,\r\n,,[1],"a\r\nb"\r\n',
    );
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="nodes.csv"');
  });

  test('become lines', async () => {
    const answer = await download('ann', 'synthetic/jsonl', { nodes });
    expect(
      answer.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { Timestamp: '2026-01-01T00:00:00Z', Name: '=1', Amount: -1 },
      { Amount: [1], '@Note': 'a\r\nb' },
    ]);
  });

  test('are for users who are no guests, and for no token', async () => {
    for (const kind of ['csv', 'jsonl']) {
      const path = `/api/node/download/synthetic/${kind}`;
      for (const who of ['guest', 'read-token']) {
        expect(await people.outcome(who, 'POST', path, { nodes })).toEqual([403, 'forbidden']);
      }
      expect(await people.outcome('', 'POST', path, { nodes })).toEqual([401, 'missing_token']);
    }
  });

  test.each([
    ['nodes', Array.from({ length: 10_001 }, () => ({ A: 1 }))],
    ['nodes', [Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`f${i}`, 1]))]],
    ['nodes.0', ['text']],
    ['nodes.0.Timestamp', [{ Timestamp: 5 }]],
  ])('are refused when there is something wrong with %s', async (path, wrong) => {
    expect(await download('ann', 'synthetic/csv', { nodes: wrong })).toMatchObject({
      status: 400,
      json: { error: { code: 'invalid_request', details: { fields: [{ path }] } } },
    });
  });

  test('are none as well', async () => {
    expect((await download('ann', 'synthetic/csv', { nodes: [] })).text).toBe('Timestamp\r\n');
    expect((await download('ann', 'synthetic/jsonl', { nodes: [] })).text).toBe('');
  });
});

describe('a download of a hundred megabytes', () => {
  beforeAll(async () => {
    const nodes = [{ type: 'Item', key: 'Number', fields: { Text: 'String' } }];
    await people.as('admin', 'PUT', '/api/schema', { nodes, edges: [] });
    const Text = 'x'.repeat(TEXT_CHARACTERS);
    const lines = Array.from({ length: ITEMS }, (_, i) =>
      JSON.stringify({ op: 'tryAdd', type: 'Item', key: String(i), fields: { Text } }),
    );
    const { http, token } = people.workspace;
    const headers = { 'content-type': 'application/x-ndjson' };
    const call = { path: '/api/ingest', token, headers, body: lines.join('\n') };
    expect((await http.send(call)).json).toMatchObject({ nodes: ITEMS });
    // The heap takes its working size with the first download, of any size.
    await (await open('csv')).arrayBuffer();
  });

  const open = (kind: string, signal?: AbortSignal): Promise<Response> =>
    fetch(`${people.workspace.server.url}/api/node/download/${kind}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${people.tokenOf('ann')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ type: 'Item' }),
      ...(signal === undefined ? {} : { signal }),
    });

  /** Memory of the main thread, without the mapped file of the state: no download holds that. */
  const heldBytes = async (): Promise<number> => {
    const { json } = await people.as('admin', 'GET', '/health');
    const { heapUsedBytes, externalBytes } = Object(Object(json).memory);
    return heapUsedBytes + externalBytes;
  };

  /** How many bytes come; after each `lookBytes` somebody else is answered while it goes on. */
  async function readWithLittle(
    begin: () => Promise<Response>,
    lookBytes = 10 * MB,
  ): Promise<number> {
    const before = await heldBytes();
    const response = await begin();
    expect(response.body).not.toBeNull();
    let bytes = 0;
    let nextLook = 0;
    let peak = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes < nextLook) continue;
      peak = Math.max(peak, await heldBytes());
      nextLook = bytes + lookBytes;
    }
    expect(peak).toBeGreaterThan(0);
    expect(peak - before).toBeLessThan(64 * MB);
    return bytes;
  }

  test.each(['csv', 'jsonl', 'zip'])(
    'as %s takes little memory, and lets others have their turn',
    async (kind) => {
      const isZip = kind === 'zip';
      const bytes = await readWithLittle(() => open(kind), isZip ? 0.02 * MB : undefined);
      if (!isZip) expect(bytes).toBeGreaterThan(ITEMS * TEXT_CHARACTERS);
    },
  );

  test.each(exportFormats)('of the whole graph as %s takes as little', async (format) => {
    const { server, token } = people.workspace;
    const begin = (): Promise<Response> =>
      fetch(`${server.url}/api/graph/export?format=${format}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
      });
    expect(await readWithLittle(begin)).toBeGreaterThan(ITEMS * TEXT_CHARACTERS);
  });

  test('that is not read any further holds up nobody, and is let go of', async () => {
    const client = new AbortController();
    const before = await heldBytes();
    const stalled = await Promise.all(
      Array.from({ length: 8 }, () => open('jsonl', client.signal)),
    );
    const query = { type: 'Item', take: 1 };
    const { json } = await people.as('ann', 'POST', '/api/node/query', query);
    expect(json).toMatchObject({ total: ITEMS });
    // Garbage is among it until it is collected.
    await expect.poll(async () => (await heldBytes()) - before).toBeLessThan(64 * MB);
    client.abort();
    const failed = stalled.map((response) =>
      response.text().then(
        () => 'read',
        () => 'aborted',
      ),
    );
    expect(await Promise.all(failed)).toEqual(stalled.map(() => 'aborted'));
    expect((await people.as('', 'GET', '/health')).json).toMatchObject({ status: 'ok' });
    // What went on would hold the stop up, until it is cut off and the exit is another.
    expect(await people.workspace.server.stop()).toBe(0);
    expect(people.workspace.server.stderr).not.toContain('an answer broke off');
  });
});
