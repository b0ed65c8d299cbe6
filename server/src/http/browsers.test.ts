import { describe, expect, it, vi } from 'vitest';
import { testServers } from '#app/testing/test-server.ts';

const startTestServer = testServers();

const ORIGIN = 'https://app.example.com';

describe('pages of other origins', () => {
  it.each([
    ['PUT', '/api/schema', 'authorization,content-type,x-msk-min-sequence'],
    ['DELETE', '/api/endpoints/a/b', 'authorization'],
    ['POST', '/api/cce/x', 'authorization,x-msk-endpoint-key,x-msk-skip'],
    ['GET', '/health/replica', 'x-request-id'],
  ])('may send %s %s with %s, when their origin is listed', async (method, path, headers) => {
    await using at = await startTestServer({ corsOrigins: ['https://other.example.com', ORIGIN] });
    const response = await at.request('OPTIONS', path, {
      headers: {
        origin: ORIGIN,
        'access-control-request-method': method,
        'access-control-request-headers': headers,
      },
    });
    expect([response.status, response.text]).toEqual([204, '']);
    expect(response.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(response.headers.get('access-control-allow-methods')).toContain(method);
    expect(response.headers.get('access-control-allow-headers')).toBe(headers);
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    expect(response.headers.get('vary')).toContain('Origin');
  });

  it('may read answers, errors included, and the headers they need', async () => {
    await using at = await startTestServer({ corsOrigins: [ORIGIN] });
    const headers = { origin: ORIGIN };
    for (const [path, status] of [
      ['/health', 200],
      ['/api/schema', 401],
      ['/nowhere', 404],
    ] as const) {
      const response = await at.request('GET', path, { headers });
      expect(response.status).toBe(status);
      expect(response.headers.get('access-control-allow-origin')).toBe(ORIGIN);
      expect(response.headers.get('access-control-expose-headers')?.split(', ')).toEqual(
        expect.arrayContaining(['x-msk-sequence', 'x-request-id', 'msk-endpoint-key', 'location']),
      );
    }
  });

  it.each([
    ['is not listed', [ORIGIN], 'https://evil.example.com'],
    ['only begins like a listed one', [ORIGIN], `${ORIGIN}.evil.com`],
    ['is that of a file', [ORIGIN], 'null'],
    ['comes where none is listed', [], ORIGIN],
  ])('may not, when their origin %s', async (_, corsOrigins, origin) => {
    await using at = await startTestServer({ corsOrigins });
    for (const method of ['GET', 'OPTIONS']) {
      const response = await at.request(method, '/health', {
        headers: { origin, 'access-control-request-method': 'GET' },
      });
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});

it('an OPTIONS request that is no preflight has no body of anybody else’s making', async () => {
  await using at = await startTestServer({ corsOrigins: [ORIGIN] });
  const response = await at.request('OPTIONS', '/api/schema');
  expect([response.status, response.text]).toEqual([204, '']);
});

describe('headers for browsers', () => {
  it('let an answer be read and nothing else', async () => {
    await using at = await startTestServer();
    const { headers } = await at.request('GET', '/api/graph/ready');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('strict-transport-security')).toBeNull();
    expect(headers.get('server')).toBeNull();
    expect(headers.get('x-powered-by')).toBeNull();
  });

  it('have HSTS when asked for', async () => {
    await using at = await startTestServer({ useHsts: true });
    const { headers } = await at.request('GET', '/api/graph/ready');
    expect(headers.get('strict-transport-security')).toMatch(/^max-age=\d{8,}/);
  });
});

describe('the redirect to HTTPS', () => {
  const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'graph.example.com' };

  it('sends plain requests there, as they are', async () => {
    await using at = await startTestServer({ redirectToHttps: true });
    const run = vi.spyOn(at.services.endpoints, 'run');
    const response = await at.request('POST', '/api/cce/x?a=%20b', { as: 'user', json: {} });
    expect(response.status).toBe(308);
    expect(response.headers.get('location')).toBe(`https://127.0.0.1:${at.port}/api/cce/x?a=%20b`);
    expect(run).not.toHaveBeenCalled();
  });

  it('leaves alone what came over HTTPS to the proxy', async () => {
    await using at = await startTestServer({ redirectToHttps: true });
    const response = await at.request('GET', '/api/login/check', {
      as: 'user',
      headers: forwarded,
    });
    expect(response.status).toBe(200);
  });

  it('leaves alone the checks of load balancers', async () => {
    await using at = await startTestServer({ redirectToHttps: true });
    for (const path of ['/health', '/api/available-status', '/api/graph/ready']) {
      expect((await at.request('GET', path)).status).toBe(200);
    }
  });

  it('is off unless asked for', async () => {
    await using at = await startTestServer();
    expect((await at.request('GET', '/api/login/check', { as: 'user' })).status).toBe(200);
  });
});

describe('the address of the client', () => {
  const seen = async (trustedProxies: readonly string[], forwarded: string): Promise<string[]> => {
    const behindTls = { useHsts: true, redirectToHttps: true };
    await using at = await startTestServer({ ...behindTls, trustedProxies });
    const login = vi.spyOn(at.services.identity, 'login');
    login.mockClear();
    await at.request('POST', '/api/login/create', {
      json: { user: 'ada', password: 'correct horse' },
      headers: { 'x-forwarded-for': forwarded, 'x-forwarded-proto': 'https' },
    });
    return login.mock.calls.map(([, , address]) => address);
  };

  it('is that of the connection, whatever the request claims', async () => {
    expect(await seen([], '203.0.113.9')).toEqual(['127.0.0.1']);
    expect(await seen(['10.0.0.0/8', '::1'], '203.0.113.9')).toEqual(['127.0.0.1']);
  });

  it('is what a proxy says that is believed', async () => {
    expect(await seen(['127.0.0.0/8'], '203.0.113.9')).toEqual(['203.0.113.9']);
  });

  it('is the last that no proxy has, whatever the client has put before it', async () => {
    const forwarded = '198.51.100.1, 203.0.113.9, 10.0.0.7';
    expect(await seen(['127.0.0.1', '10.0.0.7'], forwarded)).toEqual(['203.0.113.9']);
  });
});
