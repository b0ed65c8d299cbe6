import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { NodeService } from '#access/node-service.ts';
import { testServers, type TestServer } from '#app/testing/test-server.ts';

const startTestServer = testServers();

let at: TestServer;
beforeAll(async () => {
  at = await startTestServer();
});
afterAll(() => at.server.close());

const CSV = '/api/node/download/csv';

/** What is exported of any type: a piece, and then perhaps a failure. */
beforeEach(() => {
  const exported: NodeService['export'] = async (_caller, { type }) => ({
    type,
    rows: ({ form, linkPrefix }) => piecesOf(type, `${form} ${linkPrefix}`),
  });
  vi.spyOn(at.services.nodes, 'export').mockImplementation(exported);
  vi.spyOn(at.services.nodes, 'exportByType').mockImplementation(async (caller, selection) => [
    await exported(caller, selection),
  ]);
});

async function* piecesOf(type: string | undefined, text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${text}\n`);
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
    expect(text).toBe('csv /#/node/\n');
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

  it('reuses the memory of a piece only when it is taken', async () => {
    const piece = Buffer.alloc(64 * 1024);
    async function* views(): AsyncGenerator<Uint8Array> {
      for (let i = 0; i < 200; i++) yield piece.fill(97 + (i % 26));
    }
    vi.mocked(at.services.nodes.export).mockResolvedValue({ type: 'Word', rows: views });
    const { text } = await at.request('POST', CSV, { as: 'user', json: { type: 'Word' } });
    const expected = Array.from({ length: 200 }, (_, i) => String.fromCharCode(97 + (i % 26)));
    expect(text.length).toBe(200 * piece.length);
    expect(expected.every((letter, i) => isAll(text, i * piece.length, piece.length, letter))).toBe(
      true,
    );
  });

  it('of which a packed file breaks off is cut', async () => {
    const exported = { type: 'Word', rows: () => brokenText() };
    vi.mocked(at.services.nodes.exportByType).mockResolvedValue([exported]);
    const json = { type: 'Word' };
    const request = at.request('POST', '/api/node/download/zip', { as: 'user', json });
    await expect(request).rejects.toThrow('terminated');
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
      rows: () => endlessPieces(ended.resolve),
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

async function* endlessPieces(onEnd: (count: number) => void): AsyncGenerator<Uint8Array> {
  const piece = Buffer.alloc(1024 * 1024, 'x');
  let count = 0;
  try {
    for (;;) {
      count++;
      yield piece;
    }
  } finally {
    onEnd(count);
  }
}

function isAll(text: string, from: number, length: number, letter: string): boolean {
  return text.slice(from, from + length) === letter.repeat(length);
}

/** Text that no packer makes short. */
async function* brokenText(): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < 8; i++) yield randomBytes(64 * 1024);
  throw new Error('the disk is gone');
}
