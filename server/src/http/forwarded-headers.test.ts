import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { forwardedHeaders } from './forwarded-headers.ts';

/** What the last request had, by Node and by us. */
let seen: { byNode: Record<string, unknown>; byUs: unknown };
const server = createServer((request, response) => {
  const byUs: unknown = JSON.parse(forwardedHeaders(request.headers));
  seen = { byNode: { ...request.headers }, byUs };
  response.setHeader('connection', 'close').end();
});

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => server.close());

async function send(lines: readonly string[]): Promise<void> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const head = ['GET / HTTP/1.1', 'Host: x', ...lines, '', ''];
  socket.end(Buffer.from(head.join('\r\n'), 'latin1'));
  socket.resume();
  await once(socket, 'close');
}

const name = fc.constantFrom('Accept', 'accept', 'X-One', 'x-Two', 'Referer', 'Cookie');
const value = fc.string({
  unit: fc.constantFrom('a', '"', '\\', ' ', '\t', 'é', '/', ':', '{', '}'),
  maxLength: 8,
});

test('endpoint code sees what Node makes of the headers, without credentials', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 6 }), async (headers) => {
      const lines = headers.map(([one, text]) => `${one}: ${text}`);
      await send([...lines, 'Authorization: Bearer secret', 'AUTHORIZATION: more']);
      const { authorization, cookie, ...rest } = seen.byNode;
      expect(authorization).toBe('Bearer secret');
      expect(cookie === undefined || typeof cookie === 'string').toBe(true);
      expect(seen.byUs).toEqual(rest);
    }),
    { numRuns: 100 },
  );
});
