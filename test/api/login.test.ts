import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { field } from '../support/http-client.ts';
import { ADMIN_PASSWORD } from '../support/trellis-process.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';

describe('signing in', () => {
  let workspace: TestWorkspace;
  beforeAll(async () => {
    workspace = await startWorkspace();
  });
  afterAll(() => workspace[Symbol.asyncDispose]());

  test('answers a token of twelve hours that tells who it belongs to', async () => {
    const { http } = workspace;
    const login = await http.send({
      path: '/api/login/create',
      body: { user: 'admin', password: ADMIN_PASSWORD },
    });
    expect(login.status).toBe(200);
    const expiresAt = Date.parse(field(login.json, 'expiresAt'));
    const twelveHours = 12 * 60 * 60 * 1_000;
    expect(Math.abs(expiresAt - Date.now() - twelveHours)).toBeLessThan(60_000);
    const check = await http.send({ path: '/api/login/check', token: field(login.json, 'token') });
    expect(check.json).toEqual({ user: { uid: expect.stringMatching(/^\w{22}$/), name: 'admin' } });
    const claims = JSON.parse(
      Buffer.from(field(login.json, 'token').split('.')[1] ?? '', 'base64url').toString(),
    );
    expect(claims).toMatchObject({ sub: field(check.json, 'user', 'uid'), teams: [] });
  });

  test('a name of another case is the same user', async () => {
    await expect(workspace.http.signIn('Admin')).resolves.toBeTypeOf('string');
  });

  test.each([
    ['no header', {}, 'missing_token', 'Bearer'],
    ['another scheme', { authorization: 'Basic YTpi' }, 'missing_token', 'Bearer'],
    ['no token', { authorization: 'Bearer' }, 'missing_token', 'Bearer'],
    [
      'nonsense',
      { authorization: 'Bearer x.y.z' },
      'invalid_token',
      'Bearer error="invalid_token"',
    ],
  ])('%s is 401', async (_case, headers, code, challenge) => {
    const answer = await workspace.http.send({ path: '/api/login/check', headers });
    expect(answer.status).toBe(401);
    expect(field(answer.json, 'error', 'code')).toBe(code);
    expect(answer.headers.get('www-authenticate')).toBe(challenge);
    expect(field(answer.json, 'traceId')).toBe(answer.headers.get('x-request-id'));
  });

  test('a token with another signature or without one is invalid', async () => {
    const [header, claims] = workspace.token.split('.');
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
    for (const forged of [`${header}.${claims}.AAAA`, `${none}.${claims}.`]) {
      const answer = await workspace.http.send({ path: '/api/login/check', token: forged });
      expect([answer.status, field(answer.json, 'error', 'code')]).toEqual([401, 'invalid_token']);
    }
  });

  test('a token in the query string is refused', async () => {
    const answer = await workspace.http.send({
      path: `/api/login/check?token=${workspace.token}`,
      token: workspace.token,
    });
    expect(answer.status).toBe(400);
  });
});

test('five failures within a minute answer 429 to the right password too', async () => {
  await using workspace = await startWorkspace();
  const attempt = (password: string) =>
    workspace.http.send({ path: '/api/login/create', body: { user: 'admin', password } });
  const failures = await Promise.all(Array.from({ length: 5 }, (_, i) => attempt(`wrong ${i}`)));
  expect(failures.map((answer) => answer.status)).toEqual([401, 401, 401, 401, 401]);
  const unknown = failures[0]?.json;
  expect(field(unknown, 'error', 'code')).toBe('invalid_credentials');
  const refused = await attempt(ADMIN_PASSWORD);
  expect([refused.status, field(refused.json, 'error', 'code')]).toEqual([
    429,
    'too_many_requests',
  ]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('many good sign-ins at once all succeed', async () => {
  await using workspace = await startWorkspace();
  const tokens = await Promise.all(Array.from({ length: 12 }, () => workspace.http.signIn()));
  expect(new Set(tokens).size).toBe(12);
});

test('a changed password ends the other sessions and not this one', async () => {
  await using workspace = await startWorkspace();
  const { http, token } = workspace;
  const other = await http.signIn();
  const change = (oldPassword: string, newPassword: string) =>
    http.send({ path: '/api/login/password/change', token, body: { oldPassword, newPassword } });

  const wrong = await change('not the password', 'a new password of mine');
  expect([wrong.status, field(wrong.json, 'error', 'code')]).toEqual([422, 'wrong_password']);
  const weak = await change(ADMIN_PASSWORD, 'ninechars');
  expect([weak.status, field(weak.json, 'error', 'code')]).toEqual([422, 'weak_password']);
  expect((await http.send({ path: '/api/login/check', token: other })).status).toBe(200);

  const changed = await change(ADMIN_PASSWORD, 'tencharact');
  expect([changed.status, changed.text]).toEqual([204, '']);
  expect((await http.send({ path: '/api/login/check', token })).status).toBe(200);
  expect((await http.send({ path: '/api/login/check', token: other })).status).toBe(401);
  await expect(http.signIn('admin', 'tencharact')).resolves.toBeTypeOf('string');
  await expect(http.signIn('admin')).rejects.toThrow('401');
});
