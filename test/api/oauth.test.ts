import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request as ask } from 'node:http';
import { json as jsonOf } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { field, valueAt } from '../support/http-client.ts';
import { callTool, connectMcp } from '../support/mcp-client.ts';
import { items, People } from '../support/people.ts';
import { scale } from '../support/scale.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const REDIRECT = 'http://127.0.0.1:4567/callback';

let people: People;
let url: string;
let ann: string;

beforeAll(async () => {
  people = await People.start();
  ({ url } = people.workspace.server);
  ann = await people.add('ann');
});
afterAll(() => people[Symbol.asyncDispose]());

const http = () => people.workspace.http;
const verifier = randomBytes(32).toString('base64url');
const code_challenge = createHash('sha256').update(verifier).digest('base64url');

async function register(): Promise<string> {
  const body = { client_name: 'Desk', redirect_uris: [REDIRECT] };
  const { status, json, text } = await http().send({ path: '/api/oauth/register', body });
  expect(status, text).toBe(201);
  return field(json, 'client_id');
}

const authorize = (client_id: string, more: Readonly<Record<string, string>> = {}) => {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: REDIRECT,
    code_challenge,
    code_challenge_method: 'S256',
    state: 'a&b=c',
    ...more,
  });
  return http().send({ path: `/api/oauth/authorize?${query}` });
};

async function requestOf(client_id: string): Promise<string> {
  const { status, headers } = await authorize(client_id);
  expect(status).toBe(303);
  const { origin, hash } = new URL(headers.get('location') ?? '');
  expect(origin).toBe(url);
  return new URLSearchParams(hash.slice(hash.indexOf('?'))).get('request') ?? '';
}

const form = (path: string, fields: Readonly<Record<string, string>>) =>
  http().send({ path, body: new URLSearchParams(fields).toString(), headers: FORM });

async function codeFor(client_id: string, who = 'ann'): Promise<string> {
  const request = await requestOf(client_id);
  const { json } = await people.as(who, 'POST', '/api/oauth/consent', { request, allow: true });
  const back = new URL(field(json, 'redirectTo'));
  expect(Object.fromEntries(back.searchParams)).toMatchObject({ state: 'a&b=c', iss: url });
  return back.searchParams.get('code') ?? '';
}

const exchange = (client_id: string, code: string) =>
  form('/api/oauth/token', {
    grant_type: 'authorization_code',
    client_id,
    code,
    code_verifier: verifier,
    redirect_uri: REDIRECT,
    resource: `${url}/api/mcp`,
  });

async function granted(who = 'ann') {
  const client_id = await register();
  const { status, json, text } = await exchange(client_id, await codeFor(client_id, who));
  expect(status, text).toBe(200);
  return {
    client_id,
    access: field(json, 'access_token'),
    refresh: field(json, 'refresh_token'),
  };
}

const ping = (token: string) =>
  http().send({
    path: '/api/mcp',
    token,
    body: { jsonrpc: '2.0', id: 1, method: 'ping' },
    headers: { accept: 'application/json, text/event-stream' },
  });

describe('a client finds out', () => {
  test('from a refusal where it gets a token', async () => {
    const metadata = `resource_metadata="${url}/.well-known/oauth-protected-resource/api/mcp"`;
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const without = await http().send({ path: '/api/mcp', body });
    expect([without.status, without.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer ${metadata}`,
    ]);
    const wrong = await ping('x');
    expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer error="invalid_token", ${metadata}`,
    ]);
    // No other operation has anything to do with it.
    const other = await http().send({ path: '/api/schema' });
    expect(other.headers.get('www-authenticate')).toBe('Bearer');
  });

  test.each(['', '/api/mcp'])('what the server is, at the path with "%s"', async (suffix) => {
    const path = `/.well-known/oauth-protected-resource${suffix}`;
    const { status, json, headers } = await http().send({ path });
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(json).toEqual({
      resource: `${url}/api/mcp`,
      authorization_servers: [url],
      bearer_methods_supported: ['header'],
      scopes_supported: ['mcp'],
      resource_name: 'Trellis',
    });
  });

  test('and where its endpoints are', async () => {
    const { json } = await http().send({ path: '/.well-known/oauth-authorization-server' });
    expect(json).toMatchObject({
      issuer: url,
      authorization_endpoint: `${url}/api/oauth/authorize`,
      token_endpoint: `${url}/api/oauth/token`,
      registration_endpoint: `${url}/api/oauth/register`,
      revocation_endpoint: `${url}/api/oauth/revoke`,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
    });
  });
});

test('where clients may not register, only those that an administrator has registered come in', async () => {
  await using closed = await People.start({ MSK_OAUTH_REGISTRATION: 'false' });
  const at = closed.workspace.http;
  const { json } = await at.send({ path: '/.well-known/oauth-authorization-server' });
  expect(json).toHaveProperty('token_endpoint');
  expect(json).not.toHaveProperty('registration_endpoint');
  const body = { client_name: 'Desk', redirect_uris: [REDIRECT] };
  const refused = await at.send({ path: '/api/oauth/register', body });
  expect([refused.status, refused.text]).toEqual([
    403,
    expect.stringContaining('MSK_OAUTH_REGISTRATION=true'),
  ]);
  const made = await closed.as('admin', 'POST', '/api/oauth/clients', body);
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: field(made.json, 'client_id'),
    redirect_uri: REDIRECT,
    code_challenge,
    code_challenge_method: 'S256',
  });
  const begun = await at.send({ path: `/api/oauth/authorize?${query}` });
  expect(begun.headers.get('location')).toContain('#/authorize?request=');
});

describe('a granted token', () => {
  test('calls tools as its user, and nothing else', async () => {
    const { access } = await granted();
    await using mcp = await connectMcp(url, access);
    const { tools } = await mcp.client.listTools();
    expect(tools.map(({ name }) => name)).toContain('system__search');
    const found = await callTool(mcp, 'system__search', { query: 'nothing' });
    expect(found.isError, found.text).toBe(false);
    for (const path of ['/api/schema', '/api/login/check', '/api/tokens', '/api/openapi.json'])
      expect((await http().send({ path, token: access })).status, path).toBe(403);
    const body = { request: await requestOf(await register()), allow: true };
    expect((await http().send({ path: '/api/oauth/consent', token: access, body })).status).toBe(
      403,
    );
  });

  test('is told of in the list and the audit trail, never its value', async () => {
    const { access, refresh } = await granted();
    const list = await people.as('admin', 'GET', '/api/tokens?kind=mcp');
    expect(items(list)[0]).toMatchObject({
      kind: 'mcp',
      client: 'Desk',
      name: 'Desk (127.0.0.1:4567)',
      actingUser: ann,
      createdBy: ann,
      revoked: false,
    });
    const audit = await people.as('admin', 'GET', '/api/audit?action=token');
    expect(items(audit)[0]).toMatchObject({
      action: 'token.created',
      actor: { uid: ann },
      details: { client: 'Desk', resource: `${url}/api/mcp` },
    });
    for (const { text } of [list, audit])
      for (const secret of [access, refresh]) expect(text).not.toContain(secret);
  });

  test('ends with its grant: revoked in the list, by the client, and with its user', async () => {
    const byAdmin = await granted();
    const id = field(items(await people.as('admin', 'GET', '/api/tokens?kind=mcp'))[0], 'id');
    expect((await ping(byAdmin.access)).status).toBe(200);
    await people.as('admin', 'DELETE', `/api/tokens/${id}`);
    expect((await ping(byAdmin.access)).status).toBe(401);

    const byClient = await granted();
    const { client_id, refresh: token } = byClient;
    expect((await form('/api/oauth/revoke', { client_id, token })).status).toBe(200);
    expect((await ping(byClient.access)).status).toBe(401);

    await people.add('leaver');
    const byUser = await granted('leaver');
    expect((await ping(byUser.access)).status).toBe(200);
    const uid = field(items(await people.as('admin', 'GET', '/api/users?query=leaver'))[0], 'UID');
    await people.as('admin', 'POST', `/api/users/user/${uid}/deactivate`);
    expect((await ping(byUser.access)).status).toBe(401);
    await people.as('admin', 'PUT', `/api/users/user/${uid}`, { active: true });
    expect((await ping(byUser.access)).status).toBe(401);
    const again = await refreshed(byUser.client_id, byUser.refresh);
    expect([again.status, valueAt(again.json, 'error')]).toEqual([400, 'invalid_grant']);
  });
});

const refreshed = (client_id: string, refresh_token: string) =>
  form('/api/oauth/token', { grant_type: 'refresh_token', client_id, refresh_token });

describe('what thieves try', () => {
  const refusal = ({ status, json }: { status: number; json: unknown }) => [
    status,
    valueAt(json, 'error'),
  ];

  test('a code a second time ends the grant', async () => {
    const client_id = await register();
    const code = await codeFor(client_id);
    const tokens = (await exchange(client_id, code)).json;
    const second = await exchange(client_id, code);
    expect(refusal(second)).toEqual([400, 'invalid_grant']);
    expect(Object.keys(Object(second.json)).toSorted()).toEqual([
      'error',
      'error_description',
      'traceId',
    ]);
    expect((await ping(field(tokens, 'access_token'))).status).toBe(401);
  });

  test.each(['a b', '"x', 'localhost:1@evil.example'])('the host %j', async (host) => {
    const { hostname, port } = new URL(url);
    const headers = { host, 'content-type': 'application/json' };
    const asked = ask({ hostname, port, path: '/api/mcp', method: 'POST', headers });
    asked.end('{}');
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    expect(field(await jsonOf(answer), 'error', 'code')).toBe('missing_token');
  });

  test('a client whose user has ended its grant; nobody ends one of others', async () => {
    await people.add('carl');
    const [own, others] = [await granted('carl'), await granted('ann')];
    const listed = await people.as('carl', 'GET', '/api/oauth/grants');
    expect(listed.json).toMatchObject({ total: 1, items: [{ kind: 'mcp', client: 'Desk' }] });
    expect(listed.text).not.toContain(own.access);
    const id = field(listed.json, 'items', '0', 'id');
    const path = `/api/oauth/grants/${id}`;
    for (const who of ['ann', 'admin']) {
      expect(await people.outcome(who, 'DELETE', path)).toEqual([404, 'token_not_found']);
    }
    expect((await http().send({ path: '/api/oauth/grants', token: own.access })).status).toBe(403);
    expect((await ping(own.access)).status).toBe(200);
    expect((await people.as('carl', 'DELETE', path)).status).toBe(204);
    expect((await ping(own.access)).status).toBe(401);
    expect(refusal(await refreshed(own.client_id, own.refresh))).toEqual([400, 'invalid_grant']);
    expect((await people.as('carl', 'GET', '/api/oauth/grants')).json).toMatchObject({ total: 0 });
    expect((await ping(others.access)).status).toBe(200);
    const ended = await people.as('admin', 'GET', '/api/audit?action=token.revoked&take=1');
    expect(items(ended)).toMatchObject([{ actor: { name: 'carl' }, target: { id } }]);
  });

  test('whoever is no administrator, who registers a client for others', async () => {
    const body = { client_name: 'Cloud', redirect_uris: ['https://cloud.example/back'] };
    const path = '/api/oauth/clients';
    expect((await people.as('ann', 'POST', path, body)).status).toBe(403);
    const { status, json } = await people.as('admin', 'POST', path, body);
    expect([status, field(json, 'client_name')]).toEqual([201, 'Cloud']);
    const bad = { redirect_uris: ['javascript:alert(1)'] };
    expect(await people.outcome('admin', 'POST', path, bad)).toEqual([400, 'invalid_redirect_uri']);
    const told = await people.as('admin', 'GET', '/api/audit?action=oauth-client.created');
    expect(items(told)).toMatchObject([{ target: { name: 'Cloud' } }]);
  });

  test('a client that an administrator has withdrawn, for all of its users', async () => {
    await people.add('dora');
    const client_id = await register();
    const tokensOf = async (who: string) =>
      (await exchange(client_id, await codeFor(client_id, who))).json;
    const [one, two] = [await tokensOf('ann'), await tokensOf('dora')];
    const others = await granted('dora');
    const waiting = await codeFor(client_id, 'dora');
    const request = await requestOf(client_id);
    const clients = async () => items(await people.as('admin', 'GET', '/api/oauth/clients'));
    const found = (await clients()).find((client) => valueAt(client, 'grants') === 2);
    expect(found).toMatchObject({ name: 'Desk', redirectUris: [REDIRECT], createdBy: null });
    const path = `/api/oauth/clients/${field(found, 'id')}`;
    const grants = items(await people.as('admin', 'GET', `${path}/grants`));
    expect(grants.map((grant) => valueAt(grant, 'actingUser'))).toEqual([people.uid('dora'), ann]);
    expect(await people.outcome('ann', 'DELETE', path)).toEqual([403, 'forbidden']);
    expect((await ping(field(one, 'access_token'))).status).toBe(200);

    expect((await people.as('admin', 'DELETE', path)).status).toBe(204);
    for (const tokens of [one, two]) {
      expect((await ping(field(tokens, 'access_token'))).status).toBe(401);
      const next = await refreshed(client_id, field(tokens, 'refresh_token'));
      expect(refusal(next)).toEqual([401, 'invalid_client']);
    }
    expect(refusal(await exchange(client_id, waiting))).toEqual([401, 'invalid_client']);
    const answered = { request, allow: true };
    expect(await people.outcome('ann', 'POST', '/api/oauth/consent', answered)).toEqual([
      400,
      'oauth_request_invalid',
    ]);
    expect((await authorize(client_id)).status).toBe(401);
    expect((await ping(others.access)).status).toBe(200);
    expect(await people.outcome('admin', 'DELETE', path)).toEqual([404, 'oauth_client_not_found']);
    const told = await people.as('admin', 'GET', '/api/audit?action=oauth-client.withdrawn');
    expect(items(told)).toMatchObject([{ actor: { name: 'admin' }, details: { grants: 2 } }]);
    const ended = await people.as('admin', 'GET', '/api/audit?action=token.revoked&take=2');
    expect(items(ended)).toMatchObject([
      { details: { reason: 'client-withdrawn' } },
      { details: { reason: 'client-withdrawn' } },
    ]);
  });

  test('a client that an administrator has registered, and withdrawn', async () => {
    const body = { client_name: 'Tower', redirect_uris: [REDIRECT] };
    const made = await people.as('admin', 'POST', '/api/oauth/clients', body);
    const list = async () => items(await people.as('admin', 'GET', '/api/oauth/clients'));
    const [first] = await list();
    expect(first).toMatchObject({ name: 'Tower', grants: 0, lastUsedAt: null });
    const client_id = field(made.json, 'client_id');
    expect((await authorize(client_id)).status).toBe(303);
    const path = `/api/oauth/clients/${field(first, 'id')}`;
    expect((await people.as('admin', 'DELETE', path)).status).toBe(204);
    expect((await list()).map((client) => valueAt(client, 'name'))).not.toContain('Tower');
    expect((await authorize(client_id)).status).toBe(401);
  });

  test('a refresh token a second time ends the grant', async () => {
    const { client_id, refresh } = await granted();
    const next = (await refreshed(client_id, refresh)).json;
    expect((await ping(field(next, 'access_token'))).status).toBe(200);
    expect(refusal(await refreshed(client_id, refresh))).toEqual([400, 'invalid_grant']);
    expect((await ping(field(next, 'access_token'))).status).toBe(401);
    const last = await refreshed(client_id, field(next, 'refresh_token'));
    expect(refusal(last)).toEqual([400, 'invalid_grant']);
  });

  test('another address to go back to, which is told to the user and to nobody else', async () => {
    const client_id = await register();
    for (const redirect_uri of ['https://evil.example/callback', 'http://127.0.0.1:4567/other']) {
      const answer = await authorize(client_id, { redirect_uri });
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
      expect(field(answer.json, 'error', 'code')).toBe('invalid_redirect_uri');
    }
    const unknown = await authorize('x');
    expect([unknown.status, unknown.headers.get('location')]).toEqual([401, null]);
  });

  test.each([
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge: '' }, 'invalid_request'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ resource: 'https://evil.example/api/mcp' }, 'invalid_target'],
  ])('a request with %o', async (more, error) => {
    const { headers } = await authorize(await register(), more);
    const back = new URL(headers.get('location') ?? '');
    expect(back.origin + back.pathname).toBe(REDIRECT);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      error,
      state: 'a&b=c',
      iss: url,
    });
    expect(back.searchParams.get('code')).toBeNull();
  });

  test('an answer in the name of the user, from another page', async () => {
    const request = await requestOf(await register());
    const path = '/api/oauth/consent';
    const fields = new URLSearchParams({ request, allow: 'true' }).toString();
    const cookie = { cookie: 'trellis-device=x', origin: 'https://evil.example' };
    const asForm = await http().send({ path, body: fields, headers: { ...FORM, ...cookie } });
    expect([asForm.status, asForm.headers.get('location')]).toEqual([401, null]);
    const asJson = await http().send({ path, body: { request, allow: true }, headers: cookie });
    expect(asJson.status).toBe(401);
    const page = await http().send({ path: '/' });
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(page.headers.get('x-frame-options')).toBe('DENY');
  });

  test('to register again and again, which leaves nothing behind', async () => {
    const sequence = async () =>
      (await people.as('admin', 'GET', '/api/schema')).headers.get('x-msk-sequence');
    const used = await granted();
    const before = await sequence();
    for (let i = 0; i < scale({ sample: 100, soak: 20_000 }); i++) await register();
    expect(await sequence()).toBe(before);
    expect((await ping(used.access)).status).toBe(200);
    const bad = await http().send({
      path: '/api/oauth/register',
      body: { redirect_uris: ['javascript:alert(1)'] },
    });
    expect(refusal(bad)).toEqual([400, 'invalid_redirect_uri']);
    const empty = await http().send({ path: '/api/oauth/register', body: {} });
    expect(refusal(empty)).toEqual([400, 'invalid_client_metadata']);
    const large = { redirect_uris: [REDIRECT], client_name: 'x'.repeat(100_000) };
    expect((await http().send({ path: '/api/oauth/register', body: large })).status).toBe(413);
  });

  test('requests that are no requests of the protocol', async () => {
    const client_id = await register();
    const token = '/api/oauth/token';
    expect(refusal(await form(token, { grant_type: 'password', client_id }))).toEqual([
      400,
      'unsupported_grant_type',
    ]);
    expect(refusal(await form(token, {}))).toEqual([400, 'unsupported_grant_type']);
    const grant_type = 'authorization_code';
    expect(refusal(await form(token, { grant_type, client_id }))).toEqual([400, 'invalid_request']);
    expect(refusal(await form(token, { grant_type, client_id: 'x', code: 'y' }))).toEqual([
      401,
      'invalid_client',
    ]);
    const twice = await http().send({
      path: token,
      body: `grant_type=${grant_type}&client_id=${client_id}&client_id=${client_id}&code=x`,
      headers: FORM,
    });
    expect(refusal(twice)).toEqual([400, 'invalid_request']);
    const asJson = await http().send({ path: token, body: { grant_type, client_id } });
    expect(refusal(asJson)).toEqual([415, 'invalid_request']);
  });
});
