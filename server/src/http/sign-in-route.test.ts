import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { testServers, type TestServer } from '#app/testing/test-server.ts';

const startTestServer = testServers();

let at: TestServer;
beforeAll(async () => {
  at = await startTestServer();
});
afterAll(() => at.server.close());

describe('the cookie of a sign-in', () => {
  const begin = (headers: Record<string, string> = {}) => {
    vi.spyOn(at.services.sso, 'begin').mockImplementation(async (_provider, _to, { browser }) => ({
      url: 'https://provider.example/authorize',
      browser: browser ?? 'secret',
    }));
    return at.request('GET', '/api/oktasso/get-login-url', { headers });
  };

  it('is out of reach of scripts, other sites and plain connections, and does not last', async () => {
    expect((await begin()).headers.getSetCookie()).toEqual([
      '__Host-trellis-sso=secret; Path=/; Max-Age=660; HttpOnly; SameSite=Lax; Secure',
    ]);
  });

  it.each([
    ['a=b; __Host-trellis-sso=mine; c=d', 'mine'],
    ['__Host-trellis-sso=mine;c', 'mine'],
    ['trellis-sso=of-a-plain-connection', 'secret'],
    ['x__Host-trellis-sso=another', 'secret'],
  ])('is found in %j', async (cookie, value) => {
    const { headers } = await begin({ cookie });
    expect(headers.get('set-cookie')).toMatch(`__Host-trellis-sso=${value};`);
  });
});

describe('the end of a sign-in', () => {
  const path = '/api/oktasso/completed-login-attempt?state=s';

  it.each([
    ['*/*', 303],
    ['text/html,application/xhtml+xml,application/json;q=0.9,*/*;q=0.8', 303],
    ['application/json', 200],
    ['application/json, text/plain', 200],
  ])('for a client that accepts %s is %i', async (accept, status) => {
    vi.spyOn(at.services.sso, 'complete').mockImplementation(
      async (_provider, _answer, { wantsSession }) =>
        wantsSession
          ? { session: { token: 'h.c.s', expiresAt: '2026-11-21T00:00:00.000Z' }, marks: 'm' }
          : { location: 'https://trellis.example/#/signed-in?code=c' },
    );
    const answer = await at.request('GET', path, { headers: { accept } });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('location')).toBe(
      status === 303 ? 'https://trellis.example/#/signed-in?code=c' : null,
    );
    expect(answer.text === '').toBe(status === 303);
  });
});
