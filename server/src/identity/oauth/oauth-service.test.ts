import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OneAtATime } from '#base/one-at-a-time.ts';
import {
  OAUTH_ACCESS_LIFETIME_MS,
  OAUTH_CODE_LIFETIME_MS,
  OAUTH_ENDED_GRANTS_KEPT_MS,
  OAUTH_GRANTS_OF_USER_MAX,
  OAUTH_REDIRECT_URIS_CHARACTERS_MAX,
  OAUTH_REDIRECT_URIS_MAX,
  OAUTH_REFRESH_LIFETIME_MS,
  OAUTH_REGISTRATION_LIFETIME_MS,
  OAUTH_REQUEST_LIFETIME_MS,
} from '#base/sign-in-limits.ts';
import { LastUses, TOKEN_USES } from '../last-uses.ts';
import { openTestIdentity, TEST_KEY, type TestIdentity } from '../testing/test-identity.ts';
import { writeCredential } from '../vault.ts';
import { OAuthService } from './oauth-service.ts';

const AT = { base: 'https://graph.example', issuer: 'https://graph.example' };
const REDIRECT = 'https://client.example/callback';
const RESOURCE = 'https://graph.example/api/mcp';

let at: TestIdentity;
let oauth: OAuthService;
let session: string;
const verifier = randomBytes(32).toString('base64url');
const challenge = createHash('sha256').update(verifier).digest('base64url');

beforeAll(async () => {
  at = await openTestIdentity();
  await at.putUser('ann');
  await at.putUser('bob');
  oauth = openService();
});
afterAll(() => at[Symbol.asyncDispose]());

function openService(takesRegistrations = true): OAuthService {
  const { vault, audit, signature, graph } = at;
  return new OAuthService({
    reader: graph.reader,
    vault,
    commits: graph.writer,
    audit,
    clock: graph.clock,
    signature,
    uses: new LastUses(vault, TOKEN_USES),
    tokenChanges: new OneAtATime(),
    signingKey: TEST_KEY,
    takesRegistrations,
  });
}

const register = (uri = REDIRECT, name = 'Desk') =>
  oauth.register({ redirect_uris: [uri], client_name: name });

function ask(client_id: string, more: Readonly<Record<string, string | undefined>> = {}) {
  return oauth.authorize(
    {
      response_type: 'code',
      client_id,
      redirect_uri: REDIRECT,
      state: 'xyz',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      resource: RESOURCE,
      ...more,
    },
    AT,
  );
}

const requestIn = (location: string) => location.split('request=')[1] ?? '';

const sessions = new Map<string, string>();

async function consent(client_id: string, user = 'ann') {
  session = sessions.get(user) ?? '';
  try {
    at.identity.authenticate(session);
  } catch {
    session = await at.signIn(user);
    sessions.set(user, session);
  }
  const caller = at.identity.authenticate(session);
  const answer = new URL(oauth.decide(caller, requestIn(ask(client_id)), true));
  return answer.searchParams.get('code') ?? '';
}

const exchange = (client_id: string, code: string, more: object = {}) =>
  oauth.token(
    {
      grant_type: 'authorization_code',
      client_id,
      code,
      code_verifier: verifier,
      redirect_uri: REDIRECT,
      ...more,
    },
    '::1',
  );
const refresh = (client_id: string, refresh_token: string, more: object = {}) =>
  oauth.token({ grant_type: 'refresh_token', client_id, refresh_token, ...more }, '::1');

async function granted(user = 'ann') {
  const client = register();
  const code = await consent(client.clientId, user);
  return { client, code, tokens: await exchange(client.clientId, code) };
}

const listed = async () => {
  const caller = at.identity.authenticate(session);
  return (await at.tokens.list(caller, { kind: 'mcp', skip: 0, take: 1_000 })).items;
};
const grantOf = async (token: string) => {
  const { tokenId } = at.identity.authenticate(token);
  return (await listed()).find(({ id }) => id === tokenId);
};

describe('a withdrawn client', () => {
  test('is refused as long as its id would be good, and leaves nothing behind', async () => {
    const kept = at.vault.list('oauth-').length;
    const { client } = await granted();
    const caller = at.identity.authenticate(session);
    await oauth.withdrawClient({ caller, address: '::1' }, client.id);
    expect(() => ask(client.clientId)).toThrow('not registered here');
    // Its records go one after the other: at no time is it let in again.
    const steps = [OAUTH_REGISTRATION_LIFETIME_MS - 1, 1, OAUTH_ENDED_GRANTS_KEPT_MS];
    for (const ms of steps) {
      at.graph.clock.time += ms;
      await oauth.clear();
      expect(() => ask(client.clientId)).toThrow('not registered here');
    }
    expect(at.vault.list(`oauth-withdrawn/${client.id}`)).toEqual([]);
    expect(at.vault.list('oauth-').length).toBeLessThanOrEqual(kept);
  });
});

describe('a registration', () => {
  test('is kept nowhere, and carries what the client says', () => {
    const before = at.vault.list('').length;
    const client = register();
    expect(client).toMatchObject({ name: 'Desk', redirectUris: [REDIRECT] });
    for (let i = 0; i < 100; i++) register();
    expect(at.vault.list('').length).toBe(before);
    expect(ask(client.clientId)).toMatch(
      /^https:\/\/graph\.example\/#\/authorize\?request=[\w-]+$/,
    );
  });

  test.each([
    ['https://a.example/cb'],
    ['https://a.example:8443/cb?x=1'],
    ['http://127.0.0.1:3000/cb'],
    ['http://localhost/cb'],
    ['http://[::1]:1/cb'],
    ['cursor://anysphere.cursor-mcp/oauth/callback'],
    ['com.example.app:/cb'],
  ])('may lead back to %s', (uri) => {
    expect(register(uri).redirectUris).toEqual([uri]);
  });

  test.each([
    ['http://a.example/cb'],
    ['http://127.0.0.1.evil.example/cb'],
    ['http://localhost.evil.example/cb'],
    ['http://localhost@evil.example/cb'],
    ['https://user:password@a.example/cb'],
    ['https://a.example/cb#fragment'],
    ['https://a.example/c b'],
    ['https://a.example\\@evil.example/cb'],
    ['javascript:alert(1)'],
    ['JavaScript://a.example/%0aalert(1)'],
    ['data:text/html,hello'],
    ['blob:https://a.example/1'],
    ['file:///etc/passwd'],
    ['view-source:https://a.example/'],
    ['/cb'],
    ['cb'],
    [''],
  ])('may not lead back to %j', (uri) => {
    expect(() => register(uri)).toThrow(expect.objectContaining({ code: 'invalid_redirect_uri' }));
  });

  test('has a limited number of addresses, and they a limited length', () => {
    const uris = (count: number) =>
      Array.from({ length: count }, (_, i) => `https://a.example/${i}`);
    const long = (length: number) => [`https://a.example/${'a'.repeat(length - 18)}`];
    const given = (redirect_uris: string[]) => () => oauth.register({ redirect_uris });
    expect(given(uris(OAUTH_REDIRECT_URIS_MAX))).not.toThrow();
    expect(given(uris(OAUTH_REDIRECT_URIS_MAX + 1))).toThrow('more than');
    expect(given(long(OAUTH_REDIRECT_URIS_CHARACTERS_MAX))).not.toThrow();
    expect(given(long(OAUTH_REDIRECT_URIS_CHARACTERS_MAX + 1))).toThrow('more than');
    expect(given([])).toThrow('there is none');
  });

  test('has a name on one line that reads in one direction', () => {
    expect(register(REDIRECT, ' De\u202Esk\n\u200B Top ').name).toBe('De sk Top');
    expect(register(REDIRECT, '\u202E').name).toBe('client.example');
    expect(register(REDIRECT, 'x'.repeat(500)).name).toHaveLength(100);
  });

  test('without a grant ends after a while, and stays known with one', async () => {
    const [idle, used] = [register(), register()];
    await exchange(used.clientId, await consent(used.clientId));
    at.graph.clock.time += OAUTH_REGISTRATION_LIFETIME_MS - 1;
    expect(ask(idle.clientId)).toContain('request=');
    at.graph.clock.time += 1;
    expect(() => ask(idle.clientId)).toThrow(expect.objectContaining({ code: 'invalid_client' }));
    expect(ask(used.clientId)).toContain('request=');
  });

  test('may be switched off; clients that have a grant go on', async () => {
    const { client, tokens } = await granted();
    oauth = openService(false);
    expect(() => register()).toThrow(expect.objectContaining({ code: 'oauth_registration_off' }));
    await refresh(client.clientId, tokens.refreshToken);
    oauth = openService();
  });
});

test('a client of an administrator stays known, also where clients may not register', async () => {
  oauth = openService(false);
  const caller = at.identity.authenticate(await at.signIn('ann'));
  const by = { caller, address: '::1' };
  const metadata = { redirect_uris: [REDIRECT], client_name: 'Desk' };
  const { clientId } = await oauth.createClient(by, metadata);
  at.graph.clock.time += 2 * OAUTH_REGISTRATION_LIFETIME_MS;
  expect(ask(clientId)).toContain('request=');
  // The administrator knows the site that it leads to.
  expect(ask(clientId, { resource: 'https://evil.example' })).toContain('error=invalid_target');
  expect(await exchange(clientId, await consent(clientId))).toHaveProperty('accessToken');
  await expect(oauth.createClient(by, { redirect_uris: ['http://a.example/'] })).rejects.toThrow(
    expect.objectContaining({ code: 'invalid_redirect_uri' }),
  );
  oauth = openService();
});

describe('a request', () => {
  test.each([
    ['without a challenge', { code_challenge: undefined }, 'invalid_request'],
    ['with a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['without the method', { code_challenge_method: undefined }, 'invalid_request'],
    ['for a token', { response_type: 'token' }, 'unsupported_response_type'],
    ['for another resource', { resource: 'https://evil.example/api/mcp' }, 'invalid_target'],
    ['for another path', { resource: 'https://graph.example/api' }, 'invalid_target'],
  ])('%s goes back to the client with the state and the issuer', async (_what, more, error) => {
    const unknown = register().clientId;
    // Else a link to this server would lead to whatever site somebody has registered.
    expect(() => ask(unknown, more)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    const app = register('com.example.app:/cb').clientId;
    expect(ask(app, { ...more, redirect_uri: 'com.example.app:/cb' })).toContain(`error=${error}`);
    const { client } = await granted();
    const { origin, searchParams } = new URL(ask(client.clientId, more));
    expect(origin).toBe('https://client.example');
    expect(Object.fromEntries(searchParams)).toMatchObject({ error, state: 'xyz', iss: AT.issuer });
    expect(searchParams.has('code')).toBe(false);
  });

  test.each([
    ['https://client.example/callback/'],
    ['https://client.example/callback?x=1'],
    ['https://client.example/Callback'],
    ['https://client.example:444/callback'],
    ['https://evil.example/callback'],
    ['https://client.example/callback/../../evil'],
    [''],
  ])('that leads to %j, which is not registered, leads nowhere', (redirect_uri) => {
    expect(() => ask(register().clientId, { redirect_uri })).toThrow(
      expect.objectContaining({ code: 'invalid_redirect_uri' }),
    );
  });

  test('may lead to any port of the own machine, and to nothing else of it', () => {
    const { clientId } = register('http://127.0.0.1:1/cb');
    const to = (redirect_uri: string) => () => ask(clientId, { redirect_uri });
    expect(to('http://127.0.0.1:54321/cb')()).toContain('request=');
    for (const other of [
      'http://127.0.0.1:1/other',
      'http://localhost:1/cb',
      'http://127.0.0.2/cb',
    ])
      expect(to(other), other).toThrow('not registered');
    expect(to('http://x@127.0.0.1:1/cb')).toThrow('not registered');
    expect(to('https://127.0.0.1:1/cb')).toThrow('not registered');
  });

  test('waits for a while, of whoever has a session', async () => {
    const request = requestIn(ask(register().clientId));
    const caller = at.identity.authenticate(await at.signIn('ann'));
    expect(oauth.describe(request)).toEqual({
      clientName: 'Desk',
      redirectHost: 'client.example',
      resource: RESOURCE,
    });
    const denied = new URL(oauth.decide(caller, request, false)).searchParams;
    expect(Object.fromEntries(denied)).toEqual({
      error: 'access_denied',
      state: 'xyz',
      iss: AT.issuer,
    });
    at.graph.clock.time += OAUTH_REQUEST_LIFETIME_MS;
    const invalid = expect.objectContaining({ code: 'oauth_request_invalid' });
    expect(() => oauth.decide(caller, request, true)).toThrow(invalid);
    expect(() => oauth.describe('x'.repeat(100))).toThrow(invalid);
    expect(() => oauth.describe(register().clientId)).toThrow(invalid);
  });
});

const badGrant = { code: 'invalid_grant' };

describe('a code', () => {
  test('gives tokens for one MCP server, as the user, which end soon', async () => {
    const { tokens, client } = await granted();
    const caller = at.identity.authenticate(tokens.accessToken);
    expect(caller).toMatchObject({ kind: 'mcp', userName: 'ann', resource: RESOURCE, scopes: [] });
    expect(oauth.accepts(caller, AT)).toBe(true);
    expect(oauth.accepts(caller, { ...AT, base: 'https://other.example' })).toBe(false);
    expect(await grantOf(tokens.accessToken)).toMatchObject({
      kind: 'mcp',
      name: 'Desk (client.example)',
      client: 'Desk',
      actingUser: caller.userUid,
      createdBy: caller.userUid,
      revoked: false,
    });
    expect(client.id).not.toBe('');
    at.graph.clock.time += OAUTH_ACCESS_LIFETIME_MS;
    expect(() => at.identity.authenticate(tokens.accessToken)).toThrow('not valid');
  });

  test.each([
    ['another verifier', { code_verifier: randomBytes(32).toString('base64url') }],
    ['no verifier', { code_verifier: undefined }],
    ['the challenge as verifier', { code_verifier: challenge }],
    ['another redirect', { redirect_uri: 'https://evil.example/callback' }],
  ])('is nothing to whoever has %s, and still good for its client', async (_what, more) => {
    const { clientId } = register();
    const code = await consent(clientId);
    await expect(exchange(clientId, code, more)).rejects.toMatchObject(badGrant);
    await expect(exchange(register().clientId, code)).rejects.toMatchObject(badGrant);
    const other = exchange(clientId, code, { resource: 'https://evil.example/api/mcp' });
    await expect(other).rejects.toMatchObject({ code: 'invalid_target' });
    await expect(exchange(clientId, code)).resolves.toMatchObject({ expiresInSeconds: 900 });
  });

  test('ends after a minute', async () => {
    const { clientId } = register();
    const code = await consent(clientId);
    at.graph.clock.time += OAUTH_CODE_LIFETIME_MS;
    await expect(exchange(clientId, code)).rejects.toMatchObject(badGrant);
  });

  test('ends the grant when it is used twice, also much later and after a restart', async () => {
    for (const later of [0, OAUTH_CODE_LIFETIME_MS]) {
      const { client, code, tokens } = await granted();
      at.graph.clock.time += later;
      oauth = openService();
      at.identity.authenticate(tokens.accessToken);
      await expect(exchange(client.clientId, code)).rejects.toMatchObject(badGrant);
      expect(() => at.identity.authenticate(tokens.accessToken)).toThrow('not valid');
      await expect(refresh(client.clientId, tokens.refreshToken)).rejects.toMatchObject(badGrant);
      expect(at.events.at(-1)).toMatchObject({
        action: 'token.revoked',
        actor: { name: 'ann' },
        details: { client: 'Desk', reason: 'code-reused' },
      });
    }
  });

  test('that two send in the same moment gives tokens to none', async () => {
    const { clientId } = register();
    const code = await consent(clientId);
    const both = await Promise.allSettled([exchange(clientId, code), exchange(clientId, code)]);
    const [first] = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(() => at.identity.authenticate(first?.accessToken ?? '')).toThrow('not valid');
  });

  test('of another key is none', async () => {
    const { clientId } = register();
    const code = await consent(clientId);
    for (const other of [code.slice(0, -2), `${code.slice(0, -3)}AAA`, 'x', clientId])
      await expect(exchange(clientId, other)).rejects.toMatchObject(badGrant);
  });
});

describe('a refresh token', () => {
  test('is good once; the next one goes on, as long as the client comes back in time', async () => {
    const { client, tokens } = await granted();
    let { refreshToken } = tokens;
    for (let i = 0; i < 3; i++) {
      at.graph.clock.time += OAUTH_REFRESH_LIFETIME_MS - 1;
      const next = await refresh(client.clientId, refreshToken, { resource: RESOURCE });
      expect(at.identity.authenticate(next.accessToken).userName).toBe('ann');
      ({ refreshToken } = next);
    }
    at.graph.clock.time += OAUTH_REFRESH_LIFETIME_MS;
    await expect(refresh(client.clientId, refreshToken)).rejects.toMatchObject(badGrant);
  });

  test('that is used twice ends the grant, for the thief and for the client', async () => {
    const { client, tokens } = await granted();
    const next = await refresh(client.clientId, tokens.refreshToken);
    await expect(refresh(client.clientId, tokens.refreshToken)).rejects.toMatchObject(badGrant);
    await expect(refresh(client.clientId, next.refreshToken)).rejects.toMatchObject(badGrant);
    for (const { accessToken } of [tokens, next])
      expect(() => at.identity.authenticate(accessToken)).toThrow('not valid');
    expect(at.events.at(-1)).toMatchObject({ details: { reason: 'refresh-reused' } });
  });

  test('is nothing to another client, or for another resource', async () => {
    const { client, tokens } = await granted();
    const { refreshToken } = tokens;
    await expect(refresh(register().clientId, refreshToken)).rejects.toMatchObject(badGrant);
    const other = refresh(client.clientId, refreshToken, { resource: 'https://evil.example/' });
    await expect(other).rejects.toMatchObject({ code: 'invalid_target' });
    await expect(refresh('x', refreshToken)).rejects.toMatchObject({ code: 'invalid_client' });
    await expect(refresh(client.clientId, 'x')).rejects.toMatchObject(badGrant);
    await refresh(client.clientId, refreshToken);
  });
});

describe('a grant ends', () => {
  const isOver = async ({ client, tokens }: Awaited<ReturnType<typeof granted>>) => {
    expect(() => at.identity.authenticate(tokens.accessToken)).toThrow('not valid');
    await expect(refresh(client.clientId, tokens.refreshToken)).rejects.toMatchObject(badGrant);
  };

  test('when it is revoked in the list', async () => {
    const grant = await granted();
    const { tokenId } = at.identity.authenticate(grant.tokens.accessToken);
    await at.tokens.revoke(at.identity.authenticate(session), tokenId, '::1');
    await isOver(grant);
  });

  test.each(['accessToken', 'refreshToken'] as const)('by its %s', async (kind) => {
    const grant = await granted();
    const token = grant.tokens[kind];
    await oauth.revoke({ token, client_id: register().clientId }, '::1');
    expect(at.identity.authenticate(grant.tokens.accessToken).kind).toBe('mcp');
    await oauth.revoke({ token, client_id: grant.client.clientId }, '::1');
    await isOver(grant);
    await oauth.revoke({ token: 'x', client_id: grant.client.clientId }, '::1');
  });

  test('when its user is deactivated, and does not come back with the user', async () => {
    const grant = await granted('bob');
    const waiting = register();
    const code = await consent(waiting.clientId, 'bob');
    const { userUid } = at.identity.authenticate(grant.tokens.accessToken);
    const ended = { passwordHash: null, changedAt: 0, keptSession: null };
    const sessionsNotBefore = at.graph.clock.now();
    await at.graph.writer.commit({
      system: true,
      operations: [{ op: 'update', uid: userUid ?? '', fields: { Active: false } }],
      vault: [writeCredential(userUid ?? '', { ...ended, sessionsNotBefore })],
    });
    await isOver(grant);
    await expect(exchange(waiting.clientId, code)).rejects.toMatchObject(badGrant);
    await at.graph.writer.commit({
      system: true,
      operations: [{ op: 'update', uid: userUid ?? '', fields: { Active: true } }],
      vault: [],
    });
    await isOver(grant);
    await expect(exchange(waiting.clientId, code)).rejects.toMatchObject(badGrant);
  });

  test('for good, and is forgotten long after', async () => {
    await granted();
    // What an administrator has registered stays.
    const marks = () =>
      at.vault.list('oauth-').filter(({ key }) => !key.endsWith('/created')).length;
    const before = marks();
    at.graph.clock.time += OAUTH_REFRESH_LIFETIME_MS + OAUTH_ENDED_GRANTS_KEPT_MS - 1;
    await oauth.clear();
    expect(marks()).toBeGreaterThan(0);
    at.graph.clock.time += 1;
    await oauth.clear();
    expect(marks()).toBe(0);
    expect(before).toBeGreaterThan(1);
    expect(at.vault.list('token/')).toEqual([]);
  });
});

test('a user has a limited number of grants; one more ends the one that is oldest', async () => {
  const first = await granted();
  const second = await granted();
  at.graph.clock.time += 1_000;
  const refreshed = await refresh(first.client.clientId, first.tokens.refreshToken);
  for (let i = 2; i < OAUTH_GRANTS_OF_USER_MAX; i++) await granted();
  expect(at.identity.authenticate(second.tokens.accessToken).kind).toBe('mcp');
  await granted();
  expect(at.vault.list('token/')).toHaveLength(OAUTH_GRANTS_OF_USER_MAX);
  const told = at.events.filter(({ details }) => details?.['reason'] === 'too-many-grants');
  expect(told).toMatchObject([{ action: 'token.revoked', actor: { name: 'ann' } }]);
  expect(() => at.identity.authenticate(second.tokens.accessToken)).toThrow('not valid');
  expect(at.identity.authenticate(refreshed.accessToken).kind).toBe('mcp');
});
