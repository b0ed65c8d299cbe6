import { describe, expect, it } from 'vitest';
import { clientAddress, proxyTrust } from './client-address.ts';

const seen = (from: string, forwarded: string | undefined, trusted: readonly string[]): string => {
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
    expect(seen(from, forwarded, trusted)).toBe(address);
  });
});
