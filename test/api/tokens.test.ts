import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { field, type Answer } from '../support/http-client.ts';
import { FORBIDDEN, MISSING, outcome, TokenWorkspace } from '../support/token-workspace.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';

const NOT_FOUND = [404, 'endpoint_not_found'];

let at: TokenWorkspace;
beforeAll(async () => {
  at = await TokenWorkspace.start();
});
afterAll(() => at[Symbol.asyncDispose]());

describe('making tokens', () => {
  const shown = (own: object) => ({
    id: expect.stringMatching(/^\w{22}$/),
    name: 'nightly',
    scopes: [],
    path: null,
    actingUser: null,
    createdBy: at.adminUid,
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    expiresAt: null,
    lastUsedAt: null,
    client: null,
    revoked: false,
    ...own,
  });

  test.each<[string, () => object, () => object]>([
    ['api', () => ({ scopes: ['read', 'search'] }), () => ({ scopes: ['read', 'search'] })],
    ['connector', () => ({}), () => ({ scopes: ['ingestion'] })],
    ['connector', () => ({ scopes: ['ingestion:acl'] }), () => ({ scopes: ['ingestion:acl'] })],
    ['automation', () => ({}), () => ({ scopes: ['endpoints:run', 'admin:tasks'] })],
    ['endpoint', () => ({}), () => ({ path: '' })],
    [
      'endpoint',
      () => ({ path: 'analytics/', actingUser: at.ann, expiresAt: '2099-01-01T01:00:00+01:00' }),
      () => ({ path: 'analytics/', actingUser: at.ann, expiresAt: '2099-01-01T00:00:00.000Z' }),
    ],
    ['llm-openai', () => ({ actingUser: at.ann }), () => ({ actingUser: at.ann })],
    ['llm-anthropic', () => ({ actingUser: at.ann }), () => ({ actingUser: at.ann })],
    ['mcp', () => ({ actingUser: at.ann }), () => ({ actingUser: at.ann })],
    ['interface', () => ({}), () => ({})],
    // As a token is listed that has none of these.
    [
      'interface',
      () => ({ scopes: [], path: null, actingUser: null, expiresAt: null }),
      () => ({}),
    ],
  ])('%s (%#)', async (kind, request, own) => {
    const body = { kind, name: 'nightly', ...request() };
    const created = await at.admin('POST', '/api/tokens', body);
    expect(created.status).toBe(201);
    const record = shown({ kind, ...own() });
    expect(created.json).toEqual({
      ...record,
      token: expect.stringMatching(/^[\w-]+(\.[\w-]+){2}$/),
    });
    const token = field(created.json, 'token');
    const list = await at.admin('GET', `/api/tokens?kind=${kind}&take=1`);
    expect(list.json).toMatchObject({ items: [record], skip: 0, take: 1 });
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ iss: 'trellis', kind, id: field(created.json, 'id') });
    if (kind.startsWith('llm-')) expect(claims.flavour).toBe(kind.slice('llm-'.length));
  });

  test.each<[string, object, string]>([
    ['no kind', {}, 'kind'],
    ['an unknown kind', { kind: 'root' }, 'kind'],
    ['no name', { kind: 'interface', name: undefined }, 'name'],
    ['a blank name', { kind: 'interface', name: ' ' }, 'name'],
    ['an escape in the name', { kind: 'interface', name: 'x\u001b[2J' }, 'name'],
    ['a long name', { kind: 'interface', name: 'x'.repeat(201) }, 'name'],
    ['api without scopes', { kind: 'api' }, 'scopes'],
    ['api with no scope', { kind: 'api', scopes: [] }, 'scopes'],
    ['an unknown scope', { kind: 'api', scopes: ['read', 'write'] }, 'scopes.1'],
    ['a scope for an endpoint', { kind: 'endpoint', scopes: ['read'] }, 'scopes'],
    ['a path that is none', { kind: 'endpoint', path: '/a' }, 'path'],
    ['a path for the api', { kind: 'api', scopes: ['read'], path: '' }, 'path'],
    ['a user for an interface', { kind: 'interface', actingUser: 'x' }, 'actingUser'],
    ['an unknown user', { kind: 'endpoint', actingUser: '1'.repeat(22) }, 'actingUser'],
    ['llm-openai without a user', { kind: 'llm-openai' }, 'actingUser'],
    ['llm-anthropic without a user', { kind: 'llm-anthropic' }, 'actingUser'],
    ['mcp without a user', { kind: 'mcp' }, 'actingUser'],
    ['an end that is over', { kind: 'interface', expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
    ['an end that is no time', { kind: 'interface', expiresAt: 'tomorrow' }, 'expiresAt'],
    ['what is not known', { kind: 'interface', owner: 'x' }, 'owner'],
  ])('%s: 400', async (_case, request, path) => {
    const answer = await at.admin('POST', '/api/tokens', { name: 'x', ...request });
    expect(outcome(answer)).toEqual([400, 'invalid_request']);
    expect(Object(answer.json).error.details.fields[0]).toMatchObject({ path });
    if (path === 'scopes.1') expect(answer.text).toContain('write');
  });

  test('shows one as the list does, and says which there is not', async () => {
    const body = { kind: 'api', name: 'shown', scopes: ['read'] };
    const { token: _value, ...record } = Object((await at.admin('POST', '/api/tokens', body)).json);
    const found = await at.admin('GET', `/api/tokens/${record.id}`);
    expect([found.status, found.json]).toEqual([200, record]);
    await at.admin('DELETE', `/api/tokens/${record.id}`);
    expect((await at.admin('GET', `/api/tokens/${record.id}`)).json).toEqual({
      ...record,
      revoked: true,
    });
    expect(outcome(await at.admin('GET', `/api/tokens/${'1'.repeat(22)}`))).toEqual([
      404,
      'token_not_found',
    ]);
    expect((await at.admin('GET', `/api/tokens/${'1'.repeat(2_000)}`)).status).toBe(400);
  });

  test('lists those that are revoked, or those that are not, or both', async () => {
    const kept = await at.create({ kind: 'interface' });
    const gone = await at.create({ kind: 'interface' });
    await at.admin('DELETE', `/api/tokens/${gone.id}`);
    const newest = async (query: string) => {
      const { json } = await at.admin('GET', `/api/tokens?kind=interface&take=1${query}`);
      return field(json, 'items', '0', 'id');
    };
    expect(await newest('')).toBe(gone.id);
    expect(await newest('&revoked=true')).toBe(gone.id);
    expect(await newest('&revoked=false')).toBe(kept.id);
    expect((await at.admin('GET', '/api/tokens?revoked=1')).status).toBe(400);
  });

  test('is for administrators who may write, and listing for all of them', async () => {
    const user = await at.http.signIn('ann');
    const request = { kind: 'interface', name: 'x' };
    for (const [method, path, body] of [
      ['GET', '/api/tokens', undefined],
      ['POST', '/api/tokens', request],
      ['DELETE', '/api/tokens/x', undefined],
    ] as const) {
      expect(outcome(await at.send(undefined, method, path, body))).toEqual(MISSING);
      expect(outcome(await at.send(user, method, path, body))).toEqual(FORBIDDEN);
    }
  });
});

describe('a token with scopes', () => {
  const operations = { operations: [{ op: 'tryAdd', type: 'Book', key: 'b1' }] };

  test('does what they are for, and no more', async () => {
    const { token } = await at.create({ kind: 'api', scopes: ['ingestion'] });
    expect((await at.send(token, 'POST', '/api/ingest', operations)).status).toBe(200);
    expect((await at.send(token, 'GET', '/api/schema')).status).toBe(200);
    expect((await at.send(token, 'PUT', '/api/schema', LIBRARY_SCHEMA)).status).toBe(200);
    for (const [method, path, needed] of [
      ['POST', '/api/endpoints/run/analytics', { role: 'session', scope: 'endpoints:run' }],
      ['POST', '/api/endpoints/token/run/analytics', { tokens: ['endpoint'] }],
      ['GET', '/api/tokens', { role: 'admin' }],
      ['POST', '/api/login/end', { role: 'session' }],
    ] as const) {
      const answer = await at.send(token, method, path);
      expect(outcome(answer)).toEqual(FORBIDDEN);
      expect(Object(answer.json).error.details).toEqual(needed);
    }
    const connector = await at.create({ kind: 'connector' });
    expect((await at.send(connector.token, 'POST', '/api/ingest', operations)).status).toBe(200);
    const reader = await at.create({ kind: 'api', scopes: ['read'] });
    expect(outcome(await at.send(reader.token, 'POST', '/api/ingest', operations))).toEqual(
      FORBIDDEN,
    );
  });

  test('runs endpoints as nobody', async () => {
    for (const request of [{ kind: 'api', scopes: ['endpoints:run'] }, { kind: 'automation' }]) {
      const { token } = await at.create(request);
      for (const path of ['/api/endpoints/run/analytics', '/api/cce/analytics']) {
        expect((await at.send(token, 'POST', path)).json).toEqual({ who: null });
      }
      expect(outcome(await at.send(token, 'POST', '/api/cce/admins-only'))).toEqual(NOT_FOUND);
      expect(outcome(await at.run(token, 'analytics'))).toEqual(FORBIDDEN);
    }
  });
});

describe('an endpoint token', () => {
  test.each([
    ['', ['analytics', 'analytics/daily', 'analytics/weekly'], []],
    ['analytics/', ['analytics/daily', 'analytics/weekly'], ['analytics']],
    ['analytics/daily', ['analytics/daily'], ['analytics/weekly', 'analytics']],
    ['analytics', ['analytics'], ['analytics/daily']],
    ['analytics/da', [], ['analytics/daily']],
    ['elsewhere/', [], ['analytics', 'analytics/daily', 'elsewhere']],
  ])('of path "%s" calls what it covers; the rest is not there', async (path, covered, rest) => {
    const { token } = await at.create({ kind: 'endpoint', path });
    for (const name of covered) expect((await at.run(token, name)).json).toEqual({ who: null });
    for (const name of rest) expect(outcome(await at.run(token, name))).toEqual(NOT_FOUND);
  });

  test('cannot tell what it may not call from what there is not', async () => {
    const { token } = await at.create({ kind: 'endpoint', path: 'analytics/daily' });
    const all = await at.create({ kind: 'endpoint' });
    const excluded = await at.run(token, 'analytics/weekly');
    expect((await at.admin('DELETE', '/api/endpoints/analytics/weekly')).status).toBe(204);
    const missing = await at.run(all.token, 'analytics/weekly');
    const withoutTrace = ({ text, json }: Answer) => text.replace(field(json, 'traceId'), '');
    expect(withoutTrace(excluded)).toBe(withoutTrace(missing));
    expect(withoutTrace(await at.run(token, 'analytics/weekly'))).toBe(withoutTrace(missing));
    const names = ({ headers }: Answer) => [...headers.keys()].toSorted();
    expect(names(excluded)).toEqual(names(missing));
  });

  test('is CurrentUser when it acts as somebody; only an administrator calls what is theirs', async () => {
    const asAnn = await at.create({ kind: 'endpoint', actingUser: at.ann });
    const asAdmin = await at.create({
      kind: 'endpoint',
      path: 'admins-only',
      actingUser: at.adminUid,
    });
    const asNobody = await at.create({ kind: 'endpoint', path: 'admins-only' });
    expect((await at.run(asAnn.token, 'analytics')).json).toEqual({ who: 'ann' });
    expect((await at.run(asAdmin.token, 'admins-only')).json).toEqual({ who: 'admin' });
    for (const { token } of [asAnn, asNobody]) {
      expect(outcome(await at.run(token, 'admins-only'))).toEqual(NOT_FOUND);
    }
  });

  test('is for this one route, and this route for it', async () => {
    const { token } = await at.create({ kind: 'endpoint', actingUser: at.adminUid });
    for (const [method, path] of [
      ['POST', '/api/endpoints/run/analytics'],
      ['POST', '/api/cce/analytics'],
      ['GET', '/api/login/check'],
      ['GET', '/api/tokens'],
      ['GET', '/api/endpoints/analytics'],
      ['POST', '/api/ingest'],
    ] as const) {
      expect(outcome(await at.send(token, method, path))).toEqual(FORBIDDEN);
    }
    const others = [
      at.adminToken,
      (await at.create({ kind: 'api', scopes: ['endpoints:run'] })).token,
      (await at.create({ kind: 'mcp', actingUser: at.adminUid })).token,
    ];
    for (const other of others)
      expect(outcome(await at.run(other, 'analytics'))).toEqual(FORBIDDEN);
    expect(outcome(await at.run(undefined, 'analytics'))).toEqual(MISSING);
  });
});
