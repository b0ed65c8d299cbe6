import { describe, expect, test } from 'vitest';
import { reachedBy } from './reached.ts';

/** As Fastify reads the header Host. */
const request = (host: string) => ({
  host,
  hostname: host.startsWith('[') ? host.replace(/:\d+$/, '') : (host.split(':')[0] ?? ''),
  protocol: 'http' as const,
});

describe('the address by which a request came', () => {
  test.each([
    ['graph.example', 'http://graph.example'],
    ['graph.example:8080', 'http://graph.example:8080'],
    ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['[::1]:8080', 'http://[::1]:8080'],
  ])('is %s without a public address', (host, base) => {
    expect(reachedBy(null, null)(request(host))).toEqual({ base, issuer: base });
  });

  test.each([
    ['evil.example', 'https://graph.example'],
    ['localhost.evil.example', 'https://graph.example'],
    ['localhost:1@evil.example', 'https://graph.example'],
    ['a"b', 'https://graph.example'],
    ['localhost:8080', 'http://localhost:8080'],
  ])('is the public one for %s unless that is the own machine', (host, base) => {
    expect(reachedBy('https://graph.example', null)(request(host)).base).toBe(base);
  });

  test.each(['localhost:1@evil.example', '127.0.0.1:@evil', 'a"b', 'a/b', 'a\tb', 'a b', ''])(
    'is refused where it could be read in two ways: %j',
    (host) => {
      expect(() => reachedBy(null, null)(request(host))).toThrow(
        expect.objectContaining({ code: 'malformed_request' }),
      );
    },
  );
});
