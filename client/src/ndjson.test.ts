import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { failureOf, listen, refusal, scripted } from './testing/scripted-server.ts';
import { TrellisClient } from './trellis-client.ts';

describe('ingestStream', () => {
  const summary = { nodes: 2, created: 0, edges: 0, commits: 1, sequence: 2 };
  const two = [
    { op: 'delete', uid: 'a' },
    { op: 'delete', uid: 'b' },
  ] as const;
  const lines = two.map((operation) => `${JSON.stringify(operation)}\n`).join('');

  it('sends one operation a line', async () => {
    const { client, seen } = await scripted([{ body: summary }]);
    expect(await client.graph.ingestStream(two)).toEqual(summary);
    expect(seen[0]?.headers['content-type']).toBe('application/x-ndjson');
    expect(seen[0]?.body).toBe(lines);
  });

  it('takes bytes as they are, and gzips', async () => {
    const bodies: string[] = [];
    const baseUrl = await listen(async (request, response) => {
      expect(request.headers['content-encoding']).toBe('gzip');
      bodies.push(await text(request.pipe(createGunzip())));
      response.end(JSON.stringify(summary));
    });
    const bytes = new TextEncoder().encode(lines);
    const client = new TrellisClient({ baseUrl });
    await client.graph.ingestStream([bytes.subarray(0, 5), bytes.subarray(5)], { gzip: true });
    expect(bodies).toEqual([lines]);
  });

  it('streams: the first lines arrive while the source still waits', async () => {
    const first = Promise.withResolvers<string>();
    const baseUrl = await listen(async (request, response) => {
      request.once('data', (chunk: Buffer) => first.resolve(chunk.toString()));
      await text(request);
      response.end(JSON.stringify(summary));
    });
    const utf8 = new TextEncoder();
    async function* source() {
      yield utf8.encode(lines);
      yield utf8.encode(await first.promise);
    }
    expect(await new TrellisClient({ baseUrl }).graph.ingestStream(source())).toEqual(summary);
    expect(await first.promise).toBe(lines);
  });

  it("rejects with the source's own error", async () => {
    const { client } = await scripted([{ body: summary }]);
    const broken = new Error('line 7 is broken');
    async function* source() {
      yield two[0];
      throw broken;
    }
    await expect(client.graph.ingestStream(source())).rejects.toBe(broken);
  });

  it('gives the refusal of a server that answers before the stream ends, and closes the source', async () => {
    const baseUrl = await listen((request, response) => {
      request.once('data', () => {
        response.writeHead(422).end(JSON.stringify(refusal('invalid_operation')));
        request.resume();
      });
    });
    const closed = Promise.withResolvers<void>();
    async function* source() {
      try {
        for (;;) {
          yield new Uint8Array(64 * 1024).fill(10);
          await new Promise(setImmediate);
        }
      } finally {
        closed.resolve();
      }
    }
    const failure = await failureOf(new TrellisClient({ baseUrl }).graph.ingestStream(source()));
    expect(failure.code).toBe('invalid_operation');
    await closed.promise;
  });

  it('is never repeated', async () => {
    const busy = { status: 503, headers: { 'retry-after': '0' }, body: refusal('busy') };
    const { client, seen } = await scripted([busy]);
    await failureOf(client.graph.ingestStream(two));
    expect(seen).toHaveLength(1);
  });

  it('tells where a replica sends it, as it cannot be sent twice', async () => {
    const headers = { location: 'http://primary.example/api/ingest' };
    const { client } = await scripted([{ status: 303, headers }]);
    const failure = await failureOf(client.graph.ingestStream(two));
    expect(failure.message).toContain('it redirects to http://primary.example/api/ingest');
    expect(failure.hint).toContain('primary');
  });
});
