import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { errorBody } from '@trellis/contract/errors.ts';
import { RawConnection } from './testing/raw-connection.ts';
import { testServers, type TestServer } from '#app/testing/test-server.ts';

const startTestServer = testServers();

let at: TestServer;
beforeAll(async () => {
  at = await startTestServer();
});
afterAll(() => at.server.close());

describe('the bearer token', () => {
  /** TOKEN stands for a good one. */
  const get = ({ authorization }: { authorization?: string }, query = '') => {
    const header = authorization?.replaceAll('TOKEN', at.tokens.user);
    const headers = header === undefined ? {} : { authorization: header };
    return at.request('GET', `/api/login/check${query}`, { headers });
  };

  it.each<[string, { authorization?: string }, number, string | null]>([
    ['none', {}, 401, 'Bearer'],
    ['empty', { authorization: '' }, 401, 'Bearer'],
    ['no token', { authorization: 'Bearer' }, 401, 'Bearer'],
    ['only blanks', { authorization: 'Bearer   ' }, 401, 'Bearer'],
    ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }, 401, 'Bearer'],
    ['no scheme', { authorization: 'TOKEN' }, 401, 'Bearer'],
    ['two tokens', { authorization: 'Bearer TOKEN TOKEN' }, 401, 'Bearer'],
    ['characters no token has', { authorization: 'Bearer TOK"EN' }, 401, 'Bearer'],
    ['unknown', { authorization: 'Bearer a.b.c' }, 401, 'Bearer error="invalid_token"'],
    ['good', { authorization: 'Bearer TOKEN' }, 200, null],
    ['lower case and blanks', { authorization: 'bearer   TOKEN ' }, 200, null],
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

  it.each(['?token=secret', '?a=1&access_token=secret', '?token'])(
    'is refused in the query %s, even beside a good header',
    async (query) => {
      const alone = await get({}, query);
      expect([alone.status, alone.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect(errorBody.parse(alone.json).error.code).toBe('missing_token');
      const beside = await get({ authorization: 'Bearer TOKEN' }, query);
      expect(beside.status).toBe(400);
      expect(errorBody.parse(beside.json).error.code).toBe('token_in_query');
      expect(JSON.stringify(at.records.at(-1))).not.toContain('secret');
    },
  );
});

it('over one connection each request is who its own header says', async () => {
  const { admin } = at.tokens;
  const seen = vi.spyOn(at.services.identity, 'authenticate');
  await using connection = await RawConnection.open(at.port);
  const long = `Bearer ${'y'.repeat(2_000)}`;
  const headers: [string | undefined, number][] = [
    [`Bearer ${admin}`, 200],
    [`Bearer ${admin}`, 200],
    ['Bearer nobody', 401],
    ['Bearer nobody', 401],
    [`bearer  ${admin} `, 200],
    [`Basic ${admin}`, 401],
    [undefined, 401],
    [long, 401],
    [long, 401],
    [`Bearer ${admin}`, 200],
  ];
  for (const [header, status] of headers) {
    const line = header === undefined ? '' : `Authorization: ${header}\r\n`;
    connection.send(`GET /api/login/check HTTP/1.1\r\nHost: x\r\n${line}\r\n`);
    expect((await connection.response()).status).toBe(status);
  }
  const y = 'y'.repeat(2_000);
  const tokens = seen.mock.calls.map(([token]) => token);
  expect(tokens).toEqual([admin, admin, 'nobody', 'nobody', admin, y, y, admin]);
});
