import type { TokenKind } from '@trellis/contract/rights.ts';
import type { NewToken } from '@trellis/contract/shapes/token.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Caller } from '#access/caller.ts';
import { openTestIdentity, type TestIdentity } from './testing/test-identity.ts';
import { TOKEN_RULES } from './token-claims.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

let at: TestIdentity;
let admin: Caller;
let ann: string;
beforeEach(async () => {
  at = await openTestIdentity();
  await at.putUser('admin', { IsAdmin: true });
  ann = await at.putUser('ann');
  admin = at.identity.authenticate(await at.signIn('admin'));
  at.events.length = 0;
});
afterEach(() => at[Symbol.asyncDispose]());

const create = (token: NewToken) => at.tokens.create(admin, token, '10.0.0.1');
const list = (page: { kind?: TokenKind; skip?: number; take?: number } = {}) =>
  at.tokens.list(admin, { skip: 0, take: 50, ...page });
const claimsOf = (token: string): unknown =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
const iso = (ms: number) => new Date(ms).toISOString();

function requestOf(kind: TokenKind): NewToken {
  const { scopes, actingUser } = TOKEN_RULES[kind];
  return {
    kind,
    name: kind,
    ...(scopes === null ? { scopes: ['read', 'search'] } : {}),
    ...(actingUser === 'required' ? { actingUser: ann } : {}),
  };
}

describe('each kind', () => {
  test.each<[TokenKind, object]>([
    ['api', { scopes: ['read', 'search'] }],
    ['connector', { scopes: ['ingestion'] }],
    ['automation', { scopes: ['endpoints:run', 'admin:tasks'] }],
    ['endpoint', { path: '' }],
    ['llm-openai', { actingUser: 'ann', flavour: 'openai' }],
    ['llm-anthropic', { actingUser: 'ann', flavour: 'anthropic' }],
    ['mcp', { actingUser: 'ann' }],
    ['interface', {}],
  ])('%s: claims, record and caller', async (kind, own) => {
    const claims = 'actingUser' in own ? { ...own, actingUser: ann } : own;
    const created = await create(requestOf(kind));
    const { token, ...record } = created;
    const { flavour: _, ...fields } = { flavour: undefined, ...claims };
    expect(record).toEqual({
      id: expect.stringMatching(/^\w{22}$/),
      kind,
      name: kind,
      scopes: [],
      path: null,
      actingUser: null,
      client: null,
      createdBy: admin.userUid,
      createdAt: iso(at.graph.clock.time),
      expiresAt: null,
      lastUsedAt: null,
      revoked: false,
      ...fields,
    });
    const iat = Math.floor(at.graph.clock.time / 1_000);
    expect(claimsOf(token)).toEqual({ iss: 'trellis', kind, id: created.id, iat, ...claims });
    expect(list().items).toEqual([record]);
    expect(at.identity.authenticate(token)).toMatchObject({ kind, tokenId: created.id });
    expect(at.events).toEqual([
      {
        action: 'token.created',
        actor: { uid: admin.userUid, name: 'admin' },
        target: { kind: 'token', id: created.id, name: kind },
        outcome: 'success',
        address: '10.0.0.1',
        details: {
          kind,
          scopes: record.scopes,
          path: record.path,
          actingUser: record.actingUser,
        },
      },
    ]);
    const kept = at.vault.list('').map(({ value }) => Buffer.from(value).toString());
    for (const secret of token.split('.').slice(1)) expect(kept.join()).not.toContain(secret);
  });

  test.each<[string, NewToken, string]>([
    ['api without scopes', { kind: 'api', name: 'x' }, 'scopes'],
    ['api with no scope', { kind: 'api', name: 'x', scopes: [] }, 'scopes'],
    ['connector with no scope', { kind: 'connector', name: 'x', scopes: [] }, 'scopes'],
    ['api with a path', { kind: 'api', name: 'x', scopes: ['read'], path: '' }, 'path'],
    [
      'api with a user',
      { kind: 'api', name: 'x', scopes: ['read'], actingUser: 'ann' },
      'actingUser',
    ],
    ['endpoint with scopes', { kind: 'endpoint', name: 'x', scopes: ['read'] }, 'scopes'],
    [
      'endpoint of nobody there is',
      { kind: 'endpoint', name: 'x', actingUser: '1'.repeat(22) },
      'actingUser',
    ],
    ['endpoint of no UID', { kind: 'endpoint', name: 'x', actingUser: 'ann' }, 'actingUser'],
    ['llm-openai without a user', { kind: 'llm-openai', name: 'x' }, 'actingUser'],
    ['llm-anthropic without a user', { kind: 'llm-anthropic', name: 'x' }, 'actingUser'],
    ['mcp without a user', { kind: 'mcp', name: 'x' }, 'actingUser'],
    ['mcp with a path', { kind: 'mcp', name: 'x', actingUser: 'ann', path: 'a' }, 'path'],
    ['interface with a user', { kind: 'interface', name: 'x', actingUser: 'ann' }, 'actingUser'],
    [
      'an end in the past',
      { kind: 'interface', name: 'x', expiresAt: '2020-01-01T00:00:00Z' },
      'expiresAt',
    ],
    [
      'an end within this second',
      { kind: 'interface', name: 'x', expiresAt: '2026-01-01T00:00:00.9Z' },
      'expiresAt',
    ],
  ])('%s: 400, and nothing is made', async (_case, request, path) => {
    const { sequence } = at.graph.reader;
    await expect(create(request)).rejects.toMatchObject({
      code: 'invalid_request',
      details: { fields: [{ path, message: expect.any(String) }] },
    });
    expect(list().total).toBe(0);
    expect(at.graph.reader.refresh()).toBe(sequence);
  });

  test('an inactive user cannot be acted as', async () => {
    await at.putUser('ann', { Active: false });
    const request = { kind: 'mcp', name: 'x', actingUser: ann } as const;
    await expect(create(request)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

test('the list is newest first, by kind, in pages', async () => {
  const made: string[] = [];
  for (let i = 0; i < 6; i++) {
    at.graph.clock.time += i % 2;
    made.unshift((await create(requestOf(i < 3 ? 'interface' : 'connector'))).id);
  }
  const all = list();
  expect(all).toMatchObject({ total: 6, skip: 0, take: 50 });
  expect(all.items.map(({ id }) => id).toSorted()).toEqual(made.toSorted());
  const times = all.items.map(({ createdAt }) => createdAt);
  expect(times).toEqual(times.toSorted().toReversed());
  const pages = [0, 2, 4].flatMap((skip) => list({ skip, take: 2 }).items);
  expect(pages).toEqual(all.items);
  expect(list({ kind: 'interface', take: 2 })).toMatchObject({ total: 3, items: { length: 2 } });
});

describe('revocation', () => {
  test('holds from the next request, after a restart, and once', async () => {
    const { token, id } = await create(requestOf('connector'));
    at.identity.authenticate(token);
    await at.tokens.revoke(admin, id, '10.0.0.2');
    expect(() => at.identity.authenticate(token)).toThrow('revoked');
    expect(() => at.restart().identity.authenticate(token)).toThrow('revoked');
    expect(list().items).toMatchObject([{ id, revoked: true }]);
    expect(at.events.at(-1)).toMatchObject({
      action: 'token.revoked',
      actor: { name: 'admin' },
      target: { kind: 'token', id },
      address: '10.0.0.2',
    });
    const before = [at.events.length, at.graph.reader.refresh()];
    await at.tokens.revoke(admin, id, '10.0.0.2');
    expect([at.events.length, at.graph.reader.refresh()]).toEqual(before);
  });

  test.each(['nope', '1'.repeat(22), 'x'.repeat(10_000), '../credential', ''])(
    'of what is no token: 404 (%#)',
    async (id) => {
      await expect(at.tokens.revoke(admin, id, '::1')).rejects.toMatchObject({
        code: 'token_not_found',
      });
    },
  );

  test('is forgotten once the token has expired, and the list still tells', async () => {
    const expiresAt = iso(at.graph.clock.time + DAY_MS);
    const limited = await create({ ...requestOf('connector'), expiresAt });
    const endless = await create(requestOf('connector'));
    for (const { id } of [limited, endless]) await at.tokens.revoke(admin, id, '::1');
    at.graph.clock.time += DAY_MS;
    await at.tokens.flush();
    expect(at.vault.list('revoked/').map(({ key }) => key)).toEqual([`revoked/${endless.id}`]);
    expect(list().items.map(({ revoked }) => revoked)).toEqual([true, true]);
    for (const { token } of [limited, endless]) {
      expect(() => at.identity.authenticate(token)).toThrow('not valid');
    }
  });
});

describe('last use', () => {
  test('is told at once, written when it is flushed, and only then', async () => {
    const { token, id } = await create(requestOf('connector'));
    const unused = await create(requestOf('connector'));
    expect(list().items.map(({ lastUsedAt }) => lastUsedAt)).toEqual([null, null]);
    const lastUse = () => list().items.find((item) => item.id === id)?.lastUsedAt;
    const before = at.graph.reader.refresh();
    at.graph.clock.time += 5_000;
    for (let i = 0; i < 100; i++) at.identity.authenticate(token);
    const used = at.graph.clock.time;
    expect(lastUse()).toBe(iso(used));
    expect(at.graph.reader.refresh()).toBe(before);
    const forgotten = at.restart().tokens.list(admin, { skip: 0, take: 2 });
    expect(forgotten.items.map(({ lastUsedAt }) => lastUsedAt)).toEqual([null, null]);

    await at.tokens.flush();
    const flushed = at.graph.reader.refresh();
    expect(flushed).toBeGreaterThan(before);
    expect(at.vault.list('token-use/')).toHaveLength(1);
    await at.tokens.flush();
    expect(at.graph.reader.refresh()).toBe(flushed);
    const after = at.restart();
    const kept = after.tokens.list(admin, { skip: 0, take: 2 }).items;
    expect(Object.fromEntries(kept.map((item) => [item.id, item.lastUsedAt]))).toEqual({
      [id]: iso(used),
      [unused.id]: null,
    });

    at.graph.clock.time += 5_000;
    expect(() => at.identity.authenticate(`${token}x`)).toThrow('not valid');
    expect(lastUse()).toBe(iso(used));
  });

  test('that could not be written is written the next time', async () => {
    const { token } = await create(requestOf('connector'));
    at.identity.authenticate(token);
    const { commit } = at.graph.writer;
    at.graph.writer.commit = () => Promise.reject(new Error('full'));
    await expect(at.tokens.flush()).rejects.toThrow('full');
    at.graph.writer.commit = commit;
    await at.tokens.flush();
    expect(at.vault.list('token-use/')).toHaveLength(1);
  });
});
