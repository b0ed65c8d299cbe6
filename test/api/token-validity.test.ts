import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { INVALID, outcome, sign, TokenWorkspace } from '../support/token-workspace.ts';

let at: TokenWorkspace;
beforeAll(async () => {
  at = await TokenWorkspace.start();
});
afterAll(() => at[Symbol.asyncDispose]());

describe('what is no longer, or never was, a token', () => {
  test('revoked: refused from the next request; once more is fine; an unknown one is not', async () => {
    const { id, token } = await at.create({ kind: 'endpoint' });
    expect((await at.run(token, 'analytics')).status).toBe(200);
    expect((await at.admin('DELETE', `/api/tokens/${id}`)).status).toBe(204);
    expect(outcome(await at.run(token, 'analytics'))).toEqual(INVALID);
    expect((await at.admin('DELETE', `/api/tokens/${id}`)).status).toBe(204);
    for (const unknown of ['x', '1'.repeat(22)]) {
      const answer = await at.admin('DELETE', `/api/tokens/${unknown}`);
      expect(outcome(answer)).toEqual([404, 'token_not_found']);
    }
    const tooLong = await at.admin('DELETE', `/api/tokens/${'y'.repeat(3_000)}`);
    expect(outcome(tooLong)).toEqual([400, 'invalid_request']);
    expect(await at.listed(id)).toMatchObject({ revoked: true, lastUsedAt: expect.any(String) });
  });

  test('forged or expired', async () => {
    const iat = Math.floor(Date.now() / 1_000);
    const good = { iss: 'trellis', kind: 'endpoint', id: 'x', path: '', iat };
    expect((await at.run(sign(good), 'analytics')).status).toBe(200);
    for (const forged of [
      sign({ ...good, exp: iat - 1 }),
      sign(good, 'another key'),
      sign(good, undefined, { alg: 'none' }),
      sign(good, undefined, { alg: 'RS256' }),
      sign({ ...good, iss: 'other' }),
      sign({ ...good, kind: 'api' }),
      sign({ ...good, kind: 'session' }),
      sign({ ...good, scopes: ['ingestion'] }),
      sign({ ...good, actingUser: '1'.repeat(22) }),
    ]) {
      expect(outcome(await at.run(forged, 'analytics'))).toEqual(INVALID);
    }
  });

  test('of a user who was deactivated', async () => {
    const uid = await at.createUser('leaving');
    const { token } = await at.create({ kind: 'endpoint', actingUser: uid });
    expect((await at.run(token, 'analytics')).json).toEqual({ who: 'leaving' });
    const left = await at.admin('POST', `/api/users/user/${uid}/deactivate`);
    expect(left.status).toBeLessThan(300);
    expect(outcome(await at.run(token, 'analytics'))).toEqual(INVALID);
    const again = await at.admin('POST', '/api/tokens', {
      kind: 'mcp',
      name: 'x',
      actingUser: uid,
    });
    expect(outcome(again)).toEqual([400, 'invalid_request']);
  });

  test('of a session that its user has ended', async () => {
    const [token, other] = [await at.http.signIn('ann'), await at.http.signIn('ann')];
    const ended = await at.send(token, 'POST', '/api/login/end');
    expect([ended.status, ended.text]).toEqual([204, '']);
    expect(outcome(await at.send(token, 'GET', '/api/login/check'))).toEqual(INVALID);
    expect((await at.send(other, 'GET', '/api/login/check')).status).toBe(200);
    at.values.push(token, other);
  });
});

test('the audit tells of tokens and sign-ins', async () => {
  const { id } = await at.create({ kind: 'connector', name: 'audited' });
  await at.admin('DELETE', `/api/tokens/${id}`);
  const refused = { user: 'nobody', password: 'not theirs' };
  await at.http.send({ path: '/api/login/create', body: refused });
  for (const expected of [
    { action: 'token.created', target: { kind: 'token', id, name: 'audited' } },
    { action: 'token.revoked', target: { kind: 'token', id, name: 'audited' } },
    { action: 'login.succeeded', outcome: 'success', actor: { uid: at.ann, name: 'ann' } },
    { action: 'login.failed', outcome: 'failure', actor: null },
    { action: 'login.ended', actor: { uid: at.ann, name: 'ann' } },
  ]) {
    // Sign-ins are written in the background.
    await expect
      .poll(async () => Object((await at.admin('GET', '/api/audit?take=1000')).json).items)
      .toContainEqual(expect.objectContaining(expected));
  }
  const { text } = await at.admin('GET', '/api/audit?take=1000');
  expect(text).not.toContain('not theirs');
  expectNoValues(text);
});

describe('after a restart', () => {
  test('tokens and sessions hold, revocations too, and the last use is kept', async () => {
    const used = await at.create({ kind: 'endpoint' });
    const revoked = await at.create({ kind: 'endpoint' });
    expect((await at.run(used.token, 'analytics')).status).toBe(200);
    expect((await at.admin('DELETE', `/api/tokens/${revoked.id}`)).status).toBe(204);
    await at.stop();
    expectNoValues(at.stderr);
    await at.startAgain();
    expect(await at.listed(used.id)).toMatchObject({ lastUsedAt: expect.any(String) });
    expect((await at.run(used.token, 'analytics')).status).toBe(200);
    expect(outcome(await at.run(revoked.token, 'analytics'))).toEqual(INVALID);
  });

  test('with another key nothing holds', async () => {
    const { token } = await at.create({ kind: 'endpoint' });
    await at.stop();
    await at.startAgain('another key of the same server, as long');
    for (const value of at.values) expect(outcome(await at.run(value, 'x'))).toEqual(INVALID);
    expect(outcome(await at.run(token, 'analytics'))).toEqual(INVALID);
    expect(outcome(await at.admin('GET', '/api/login/check'))).toEqual(INVALID);
  });
});

test('no value is in a list, an error or the log', async () => {
  const list = await at.send(await at.http.signIn(), 'GET', '/api/tokens?take=1000');
  expect(Object(list.json).total).toBeGreaterThan(3);
  expectNoValues(list.text);
  for (const value of at.values) {
    expectNoValues((await at.send(value, 'GET', '/api/tokens')).text);
  }
  expectNoValues(at.stderr);
});

function expectNoValues(text: string): void {
  expect(at.values.length).toBeGreaterThan(3);
  for (const value of at.values) {
    for (const part of value.split('.').slice(1)) expect(text.includes(part)).toBe(false);
  }
}
