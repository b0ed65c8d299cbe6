import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ExportedNode } from '#access/node-export.ts';
import type { NodeService } from '#access/node-service.ts';
import { testServers, type TestServer } from '#app/testing/test-server.ts';

const startTestServer = testServers();

let at: TestServer;
beforeAll(async () => {
  at = await startTestServer();
});
afterAll(() => at.server.close());

const CSV = '/api/node/download/csv';

const NODE = {
  UID: '1111111111111111111111',
  Type: 'Word',
  Timestamp: '2026-11-20T00:00:00.000Z',
  Id: 'dog',
} as const;

/** What is exported of any type: one node, and then perhaps a failure. */
beforeEach(() => {
  const exported: NodeService['export'] = async (_caller, { type }) => ({
    type,
    fields: ['Id'],
    fieldTypes: new Map(),
    pieces: piecesOf(type),
  });
  vi.spyOn(at.services.nodes, 'export').mockImplementation(exported);
  vi.spyOn(at.services.nodes, 'exportByType').mockImplementation(async (caller, selection) => [
    await exported(caller, selection),
  ]);
});

async function* piecesOf(type: string | undefined): AsyncGenerator<ExportedNode[]> {
  yield [{ node: NODE, edgeCount: 0 }];
  if (type === 'Broken') throw new Error('the disk is gone');
}

describe('a download', () => {
  it('is a file with a name, and says of which sequence it is', async () => {
    const { status, headers, text } = await at.request('POST', CSV, {
      as: 'user',
      json: { type: 'Word' },
    });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="Word.csv"');
    expect(headers.get('x-msk-sequence')).toBe(String(at.services.sequence()));
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(text).toBe(
      'Link,UID,Type,EdgeCount,Timestamp,Id\r\n' +
        '/#/node/1111111111111111111111,1111111111111111111111,Word,0,2026-11-20T00:00:00.000Z,dog\r\n',
    );
  });

  it.each([
    ['a quote and a line break', 'x"\r\nSet-Cookie: a=b', 'x___Set-Cookie__a_b.csv'],
    ['letters that no header takes', 'Wörter', 'W_rter.csv'],
  ])('keeps %s out of its header', async (_, type, name) => {
    const { status, headers } = await at.request('POST', CSV, { as: 'user', json: { type } });
    expect(status).toBe(200);
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${name}"`);
    expect(headers.has('set-cookie')).toBe(false);
  });

  it.each(['csv', 'jsonl'])('that breaks off as %s is cut, and logged', async (kind) => {
    const before = at.records.length;
    const request = at.request('POST', `/api/node/download/${kind}`, {
      as: 'user',
      json: { type: 'Broken' },
    });
    await expect(request).rejects.toThrow('terminated');
    expect(at.records.slice(before)).toMatchObject([
      { msg: 'an answer broke off', err: { message: 'the disk is gone' } },
    ]);
  });

  it('that fails before its first byte is an error like any other', async () => {
    const json = { type: 'Broken' };
    expect(await at.request('POST', '/api/node/download/zip', { as: 'user', json })).toMatchObject({
      status: 500,
      json: { error: { code: 'internal_error' } },
    });
    vi.mocked(at.services.nodes.export).mockRejectedValue(new Error('nothing there'));
    expect(await at.request('POST', CSV, { as: 'user', json })).toMatchObject({ status: 500 });
  });

  it('is made no faster than it is taken, and no further once the client has gone', async () => {
    const ended = Promise.withResolvers<number>();
    vi.mocked(at.services.nodes.export).mockResolvedValue({
      type: 'Word',
      fields: ['Text'],
      fieldTypes: new Map(),
      pieces: endlessPieces(ended.resolve),
    });
    const client = new AbortController();
    const response = await fetch(at.url + CSV, {
      method: 'POST',
      headers: { authorization: `Bearer ${at.tokens.user}`, 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'Word' }),
      signal: client.signal,
    });
    const reader = response.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    client.abort();
    // Each piece is a megabyte: what lies in the buffers of both ends is far from all of it.
    expect(await ended.promise).toBeLessThan(100);
  });
});

async function* endlessPieces(onEnd: (count: number) => void): AsyncGenerator<ExportedNode[]> {
  const node = { UID: 'u', Type: 'Word', Timestamp: '', Text: 'x'.repeat(1024 * 1024) };
  let count = 0;
  try {
    for (;;) {
      count++;
      yield [{ node, edgeCount: 0 }];
    }
  } finally {
    onEnd(count);
  }
}
