import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExportedNode } from './node-service.ts';
import { startTestServer, type TestServer } from './testing/test-server.ts';

let at: TestServer;
beforeAll(async () => {
  at = await startTestServer();
});
afterAll(() => at.server.close());

const CSV = '/api/node/download/csv';

describe('a download', () => {
  it('is a file with a name, and says of which sequence it is', async () => {
    const { status, headers, text } = await at.request('POST', CSV, {
      as: 'user',
      json: { type: 'Word' },
    });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="Word.csv"');
    expect(headers.get('x-msk-sequence')).toBe('7');
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
    at.services.nodes.export = async () => {
      throw new Error('nothing there');
    };
    expect(await at.request('POST', CSV, { as: 'user', json })).toMatchObject({ status: 500 });
  });

  it('is made no faster than it is taken, and no further once the client has gone', async () => {
    const ended = Promise.withResolvers<number>();
    at.services.nodes.export = async () => ({
      type: 'Word',
      fields: ['Text'],
      fieldTypes: new Map(),
      pieces: endlessPieces(ended.resolve),
    });
    const client = new AbortController();
    const response = await fetch(at.url + CSV, {
      method: 'POST',
      headers: { authorization: 'Bearer user', 'content-type': 'application/json' },
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
