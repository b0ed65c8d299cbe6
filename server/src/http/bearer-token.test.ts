import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorBody } from '@trellis/contract/errors.ts';
import { Problem } from '#base/problem.ts';
import { CALLERS } from './testing/memory-callers.ts';
import { startTestServer, type TestServer } from './testing/test-server.ts';

let at: TestServer;
beforeAll(async () => {
  at = await startTestServer();
});
afterAll(() => at.server.close());

describe('the bearer token', () => {
  const get = (headers: Record<string, string>, query = '') =>
    at.request('GET', `/api/login/check${query}`, { headers });

  it.each<[string, Record<string, string>, number, string | null]>([
    ['none', {}, 401, 'Bearer'],
    ['empty', { authorization: '' }, 401, 'Bearer'],
    ['no token', { authorization: 'Bearer' }, 401, 'Bearer'],
    ['only blanks', { authorization: 'Bearer   ' }, 401, 'Bearer'],
    ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }, 401, 'Bearer'],
    ['no scheme', { authorization: 'user' }, 401, 'Bearer'],
    ['two tokens', { authorization: 'Bearer user admin' }, 401, 'Bearer'],
    ['characters no token has', { authorization: 'Bearer us"er' }, 401, 'Bearer'],
    ['unknown', { authorization: 'Bearer a.b.c' }, 401, 'Bearer error="invalid_token"'],
    ['good', { authorization: 'Bearer user' }, 200, null],
    ['lower case and blanks', { authorization: 'bearer   user ' }, 200, null],
  ])('%s', async (_, headers, status, challenge) => {
    const response = await get(headers);
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      status,
      challenge,
    ]);
    if (status === 401) {
      const { error } = errorBody.parse(response.json);
      expect(error.code).toBe(challenge === 'Bearer' ? 'missing_token' : 'invalid_token');
    }
  });

  it.each(['?token=user', '?a=1&access_token=user', '?token'])(
    'is refused in the query %s, even beside a good header',
    async (query) => {
      const alone = await get({}, query);
      expect([alone.status, alone.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect(errorBody.parse(alone.json).error.code).toBe('missing_token');
      const beside = await get({ authorization: 'Bearer user' }, query);
      expect(beside.status).toBe(400);
      expect(errorBody.parse(beside.json).error.code).toBe('token_in_query');
      expect(JSON.stringify(at.records.at(-1))).not.toContain('user"');
    },
  );

  it('may be checked later: a promise is waited for', async () => {
    const { onAuthenticate } = at.services;
    try {
      at.services.onAuthenticate = async () => CALLERS.user;
      expect((await get({ authorization: 'Bearer x' })).status).toBe(200);
      at.services.onAuthenticate = async () => {
        throw new Problem('invalid_token', 'Revoked.');
      };
      expect((await get({ authorization: 'Bearer x' })).status).toBe(401);
      at.services.onAuthenticate = async () => CALLERS['run-token'];
      expect((await get({ authorization: 'Bearer x' })).status).toBe(403);
    } finally {
      at.services.onAuthenticate = onAuthenticate;
    }
  });
});
