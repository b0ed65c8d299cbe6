import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { once } from 'node:events';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { clientAddress, forwardedHeaders, proxyTrust } from './headers.ts';

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

const addressSeen = (
  from: string,
  forwarded: string | undefined,
  trusted: readonly string[],
): string => {
  const request = { socket: { remoteAddress: from }, headers: { 'x-forwarded-for': forwarded } };
  return clientAddress(request, proxyTrust(trusted));
};

describe('the address that a WebSocket comes from', () => {
  it.each([
    ['of the connection', '127.0.0.1', undefined, ['127.0.0.1'], '127.0.0.1'],
    ['of the connection, whatever is claimed', '127.0.0.1', '203.0.113.9', [], '127.0.0.1'],
    ['told by a proxy', '127.0.0.1', '203.0.113.9', ['127.0.0.0/8'], '203.0.113.9'],
    ['told by a mapped proxy', '::ffff:10.0.0.7', '203.0.113.9', ['10.0.0.7'], '203.0.113.9'],
    [
      'the last no proxy has',
      '::1',
      '1.2.3.4, 203.0.113.9, fd00::7',
      ['::1', 'fd00::/8'],
      '203.0.113.9',
    ],
    ['the first, with proxies only', '::1', 'fd00::8,fd00::7', ['::1', 'fd00::/8'], 'fd00::8'],
    ['whatever a proxy says', '::1', 'x, nonsense', ['::1'], 'nonsense'],
    ['of the proxy that says nothing', '::1', ' , ', ['::1'], '::1'],
  ])('is that %s', (_, from, forwarded, trusted, address) => {
    expect(addressSeen(from, forwarded, trusted)).toBe(address);
  });
});
