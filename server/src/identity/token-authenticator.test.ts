import { createHmac } from 'node:crypto';
import { createSigner } from 'fast-jwt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SESSION_LIFETIME_MS } from '#base/sign-in-limits.ts';
import { formatUid, keyedUid } from '#base/uid.ts';
import { openTestIdentity, TEST_KEY, type TestIdentity } from './testing/test-identity.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

let at: TestIdentity;
let ann: string;
beforeAll(async () => {
  at = await openTestIdentity();
  await at.putUser('admin', { IsAdmin: true });
  ann = await at.putUser('ann', { IsGuest: true, Roles: ['CanManageTeams'] });
});
afterAll(() => at[Symbol.asyncDispose]());

const admin = async () => at.identity.authenticate(await at.signIn('admin'));
const refused = { code: 'invalid_token' };
const seconds = () => Math.floor(at.graph.clock.now() / 1_000);

function sign(claims: object, header: object = { alg: 'HS256', typ: 'JWT' }, key = TEST_KEY) {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode(header)}.${encode(claims)}`;
  const hash = Object.values(header).includes('HS512') ? 'sha512' : 'sha256';
  return `${signed}.${createHmac(hash, key).update(signed).digest('base64url')}`;
}

const API = () => ({ iss: 'trellis', kind: 'api', id: 'x', scopes: ['read'], iat: seconds() });

describe('a session', () => {
  test('is a token of its user, with every team, and lasts twelve hours to the second', async () => {
    const inner = formatUid(keyedUid('_AccessGroup', 'inner'));
    const outer = formatUid(keyedUid('_AccessGroup', 'outer'));
    await at.graph.writer.commit({
      system: true,
      operations: [
        { op: 'tryAdd', type: '_AccessGroup', key: 'inner' },
        { op: 'tryAdd', type: '_AccessGroup', key: 'outer' },
        { op: 'link', from: { uid: inner }, edge: '_MemberOf', to: { uid: outer } },
        { op: 'link', from: { uid: ann }, edge: '_MemberOf', to: { uid: inner } },
      ],
    });
    const began = at.graph.clock.time;
    const { token, expiresAt } = await at.identity.login('ann', 'correct horse battery', '::1');
    expect(Date.parse(expiresAt)).toBe(began + SESSION_LIFETIME_MS);
    expect(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())).toEqual({
      iss: 'trellis',
      kind: 'session',
      sub: ann,
      name: 'ann',
      teams: [inner, outer],
      sid: expect.stringMatching(/^[\w-]{36}$/),
      beganAt: began,
      iat: began / 1_000,
      exp: (began + SESSION_LIFETIME_MS) / 1_000,
    });
    at.graph.clock.time = began + SESSION_LIFETIME_MS - 1;
    expect(at.identity.authenticate(token)).toMatchObject({ kind: 'session', userUid: ann });
    at.graph.clock.time = began + SESSION_LIFETIME_MS;
    expect(() => at.identity.authenticate(token)).toThrow(expect.objectContaining(refused));
  });

  test('has what the live record says, and is the same caller until that changes', async () => {
    const token = await at.signIn('ann');
    const first = at.identity.authenticate(token);
    expect(first).toMatchObject({
      isGuest: true,
      isAdmin: false,
      roles: ['CanManageTeams'],
      endpointPath: null,
      scopes: [],
    });
    await at.putUser('bob');
    expect(at.identity.authenticate(token)).toBe(first);
    await at.putUser('ann', { IsGuest: false, IsReadOnlyAdmin: true, Roles: [] });
    expect(at.identity.authenticate(token)).toMatchObject({
      isGuest: false,
      isReadOnlyAdmin: true,
      roles: [],
    });
    await at.putUser('ann', { Active: false });
    expect(() => at.identity.authenticate(token)).toThrow(expect.objectContaining(refused));
    await at.putUser('ann', { IsReadOnlyAdmin: false, Active: true });
    expect(at.identity.authenticate(token)).toMatchObject({ userUid: ann, isReadOnlyAdmin: false });
  });

  test('ends when its user says so, and only this one; its revocation goes when it would have expired', async () => {
    const token = await at.signIn('ann');
    const other = await at.signIn('ann');
    const caller = at.identity.authenticate(token);
    at.identity.authenticate(other);
    await at.identity.endSession(caller, '::1');
    expect(at.events.at(-1)).toMatchObject({ action: 'login.ended', actor: { uid: ann } });
    expect(() => at.identity.authenticate(token)).toThrow(expect.objectContaining(refused));
    expect(() => at.restart().identity.authenticate(token)).toThrow(
      expect.objectContaining(refused),
    );
    expect(at.identity.authenticate(other).userUid).toBe(ann);

    at.graph.clock.time += SESSION_LIFETIME_MS - 1;
    await at.tokens.flush();
    expect(at.vault.list('revoked/')).toHaveLength(1);
    at.graph.clock.time += 1;
    await at.tokens.flush();
    expect(at.vault.list('revoked/')).toHaveLength(0);
    expect(() => at.identity.authenticate(token)).toThrow(expect.objectContaining(refused));
  });
});

describe('forged', () => {
  test('what the test signs by hand is a token when nothing is wrong with it', () => {
    expect(at.identity.authenticate(sign(API()))).toMatchObject({ kind: 'api', scopes: ['read'] });
  });

  test.each<[string, () => string]>([
    ['nothing', () => ''],
    ['no JWT', () => 'a.b.c'],
    ['alg none', () => `${sign(API(), { alg: 'none' }).split('.').slice(0, 2).join('.')}.`],
    ['alg none, signed', () => sign(API(), { alg: 'none' })],
    ['no alg', () => sign(API(), { typ: 'JWT' })],
    ['alg HS512, signed so', () => sign(API(), { alg: 'HS512' })],
    ['alg RS256 with the key as secret', () => sign(API(), { alg: 'RS256' })],
    ['another key', () => sign(API(), undefined, `${TEST_KEY}!`)],
    ['no signature', () => `${sign(API()).split('.').slice(0, 2).join('.')}.`],
    ['a signature of other claims', () => mixed(sign(API()), sign({ ...API(), id: 'y' }))],
    ['another issuer', () => sign({ ...API(), iss: 'other' })],
    ['no issuer', () => sign({ ...API(), iss: undefined })],
    ['no kind', () => sign({ ...API(), kind: undefined })],
    ['an unknown kind', () => sign({ ...API(), kind: 'root' })],
    ['a kind of the prototype', () => sign({ ...API(), kind: 'constructor' })],
    ['no id', () => sign({ ...API(), id: undefined })],
    ['no scopes', () => sign({ ...API(), scopes: undefined })],
    ['empty scopes', () => sign({ ...API(), scopes: [] })],
    ['scopes in one text', () => sign({ ...API(), scopes: 'read' })],
    ['an expiry that is no time', () => sign({ ...API(), exp: 'never' })],
    ['expired', () => sign({ ...API(), exp: seconds() })],
    ['an api token that acts as somebody', () => sign({ ...API(), actingUser: ann })],
    ['an api token with a path', () => sign({ ...API(), path: '' })],
    ['an endpoint token with scopes', () => sign({ ...API(), kind: 'endpoint', path: '' })],
    ['an endpoint token without a path', () => token({ kind: 'endpoint' })],
    ['a router token without a flavour', () => token({ kind: 'llm-openai', actingUser: ann })],
    [
      'a router token of another flavour',
      () => token({ kind: 'llm-openai', actingUser: ann, flavour: 'anthropic' }),
    ],
    ['a router token that acts as nobody', () => token({ kind: 'llm-openai', flavour: 'openai' })],
    [
      'an mcp token of a user there is not',
      () => token({ kind: 'mcp', actingUser: '1'.repeat(22) }),
    ],
    ['an interface token with a user', () => token({ kind: 'interface', actingUser: ann })],
    ['a session without an end', () => session({ exp: undefined })],
    ['a session without a sid', () => session({ sid: undefined })],
    ['a session with scopes', () => session({ scopes: ['ingestion'] })],
    ['claims that are no object', () => sign(['iss', 'trellis'])],
  ])('%s: 401', (_case, forge) => {
    expect(() => at.identity.authenticate(forge())).toThrow(expect.objectContaining(refused));
  });

  function token(claims: object): string {
    return sign({ iss: 'trellis', id: 'x', iat: seconds(), ...claims });
  }

  function session(claims: object): string {
    const now = seconds();
    const good = {
      sub: ann,
      name: 'ann',
      teams: [],
      sid: 's',
      beganAt: now * 1_000,
      exp: now + 60,
    };
    return token({ kind: 'session', id: undefined, ...good, ...claims });
  }

  function mixed(good: string, other: string): string {
    const [header, , signature] = good.split('.');
    return [header, other.split('.')[1], signature].join('.');
  }
});

describe('a token', () => {
  test('acts as its user as the live record says, and not when the user is inactive', async () => {
    const { token } = await at.tokens.create(
      await admin(),
      { kind: 'endpoint', name: 'cron', path: 'a/', actingUser: ann },
      '::1',
    );
    expect(at.identity.authenticate(token)).toMatchObject({
      kind: 'endpoint',
      userUid: ann,
      userName: 'ann',
      isAdmin: false,
      endpointPath: 'a/',
      scopes: [],
    });
    await at.putUser('ann', { IsAdmin: true });
    expect(at.identity.authenticate(token).isAdmin).toBe(true);
    await at.putUser('ann', { Active: false });
    expect(() => at.identity.authenticate(token)).toThrow(expect.objectContaining(refused));
    await at.putUser('ann', { Active: true, IsAdmin: false });
  });

  test('that nobody acts through is nobody', async () => {
    const { token, id } = await at.tokens.create(
      await admin(),
      { kind: 'endpoint', name: 'cron' },
      '::1',
    );
    expect(at.identity.authenticate(token)).toEqual({
      kind: 'endpoint',
      userUid: null,
      userName: null,
      isAdmin: false,
      isReadOnlyAdmin: false,
      isGuest: false,
      roles: [],
      scopes: [],
      endpointPath: '',
      tokenId: id,
    });
  });

  test('expires to the second; what has no end does not', async () => {
    const expiresAt = new Date(at.graph.clock.time + DAY_MS).toISOString();
    const limited = await at.tokens.create(
      await admin(),
      { kind: 'interface', name: 'a', expiresAt },
      '::1',
    );
    const endless = await at.tokens.create(await admin(), { kind: 'interface', name: 'b' }, '::1');
    const expiresMs = Math.floor((at.graph.clock.time + DAY_MS) / 1_000) * 1_000;
    expect(limited.expiresAt).toBe(new Date(expiresMs).toISOString());
    at.identity.authenticate(limited.token);
    at.graph.clock.time = expiresMs - 1;
    at.identity.authenticate(limited.token);
    at.graph.clock.time = expiresMs;
    expect(() => at.identity.authenticate(limited.token)).toThrow(expect.objectContaining(refused));
    at.graph.clock.time += 4_000 * DAY_MS;
    expect(at.identity.authenticate(endless.token).kind).toBe('interface');
  });

  test('is worth nothing under another key', async () => {
    const { token } = await at.tokens.create(
      await admin(),
      { kind: 'interface', name: 'a' },
      '::1',
    );
    expect(at.restart().identity.authenticate(token).kind).toBe('interface');
    expect(() => at.restart(`${TEST_KEY}!`).identity.authenticate(token)).toThrow(
      expect.objectContaining(refused),
    );
  });

  test('of any JWT library is one of ours when its claims are', () => {
    const signer = createSigner({ key: TEST_KEY, algorithm: 'HS256' });
    expect(at.identity.authenticate(signer({ ...API(), id: 'z' })).tokenId).toBe('z');
  });
});
