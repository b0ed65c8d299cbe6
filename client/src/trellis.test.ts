import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import { failureOf, refusal, scripted, type Reply } from './testing/scripted-server.ts';
import { Trellis, TrellisError } from './trellis.ts';

interface Endpoints {
  readonly 'books/by-author': {
    readonly input: { readonly author: string };
    readonly output: readonly { readonly Title: string }[];
  };
  readonly ping: { readonly input: unknown; readonly output: 'pong' };
}

async function workspace(replies: readonly Reply[], options: object = {}) {
  const { baseUrl, seen } = await scripted(replies);
  return { trellis: new Trellis<Endpoints>({ baseUrl, ...options }), seen };
}

const SESSION = { body: { token: 't', expiresAt: '2026-01-01T00:00:00.000Z' } };

describe('a session', () => {
  it('begins with signIn, and ends with signOut', async () => {
    const { trellis, seen } = await workspace([SESSION, { status: 204 }]);
    expect(await trellis.signIn('ann', 'secret')).toEqual(SESSION.body);
    expect(trellis.token).toBe('t');
    await trellis.signOut();
    expect(trellis.token).toBeUndefined();
    expect(seen.map(({ url }) => url)).toEqual(['/api/login/create', '/api/login/end']);
    expect(seen[1]?.headers.authorization).toBe('Bearer t');
    await trellis.signOut();
    expect(seen).toHaveLength(2);
  });

  it('that has expired is signed out of all the same', async () => {
    const replies = [{ status: 401, body: refusal('invalid_token') }];
    const { trellis } = await workspace(replies, { token: 'old' });
    await trellis.signOut();
    expect(trellis.token).toBeUndefined();
  });

  it('is given up here when the server is away, which is told', async () => {
    const { trellis } = await workspace([{ reset: true }], { token: 't' });
    expect(await failureOf(trellis.signOut())).toMatchObject({ code: 'connection_failed' });
    expect(trellis.token).toBeUndefined();
  });

  it('stays when somebody else cannot sign in', async () => {
    const replies = [{ status: 401, body: refusal('invalid_credentials') }];
    const { trellis } = await workspace(replies, { token: 't' });
    expect(await failureOf(trellis.signIn('ann', 'wrong'))).toMatchObject({
      code: 'invalid_credentials',
    });
    expect(trellis.token).toBe('t');
  });
});

describe('run', () => {
  it('sends the body and gives the answer, both with their types', async () => {
    const { trellis, seen } = await workspace([{ body: [{ Title: 'Dune' }] }, { body: '"pong"' }]);
    const books = await trellis.run('books/by-author', { author: 'Frank Herbert' });
    expectTypeOf(books).toEqualTypeOf<readonly { readonly Title: string }[]>();
    expect(books[0]?.Title).toBe('Dune');
    expect(seen[0]).toMatchObject({
      url: '/api/endpoints/run/books/by-author',
      body: '{"author":"Frank Herbert"}',
    });
    expectTypeOf(await trellis.run('ping')).toEqualTypeOf<'pong'>();
    expect(seen[1]?.body).toBe('');
  });

  it('takes any endpoint where nothing is known of the workspace', () => {
    expectTypeOf<Trellis['run']>().parameter(0).toEqualTypeOf<string>();
    expectTypeOf<Awaited<ReturnType<Trellis['run']>>>().toEqualTypeOf<unknown>();
  });

  it('tells of a page that a proxy answers with', async () => {
    const page = { headers: { 'content-type': 'text/html' }, body: '<html>Sign in to the hotel' };
    const { trellis } = await workspace([page]);
    const failure = await failureOf(trellis.run('ping'));
    expect(failure).toMatchObject({ code: 'unexpected_answer', status: 200 });
    expect(failure.message).toContain('Sign in to the hotel');
  });

  it('rejects with the reason of a signal, before and during the call', async () => {
    const { trellis } = await workspace([{ silent: true }]);
    const controller = new AbortController();
    const run = trellis.run('ping', undefined, { signal: controller.signal });
    controller.abort(new Error('left'));
    await expect(run).rejects.toThrow('left');
    await expect(trellis.run('ping', 1, { signal: controller.signal })).rejects.toThrow('left');
  });
});

describe('codes of errors', () => {
  it('are known to the compiler, and others are said as they come', async () => {
    const { trellis } = await workspace([{ status: 418, body: refusal('from_the_future') }]);
    const failure = await trellis.run('ping').catch((error: unknown) => error);
    if (!(failure instanceof TrellisError)) throw failure;
    expect(String(failure.code)).toBe('from_the_future');
    expectTypeOf<'connection_failed' | 'not_found'>().toExtend<TrellisError['code']>();
    expectTypeOf<'from_the_future'>().not.toExtend<TrellisError['code']>();
  });
});

describe('pauses before a repeated call', () => {
  it.each([
    [0, [4, 8]],
    [1, [8, 16]],
  ])('with chance %d are %j', async (chance, pauses) => {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const { trellis } = await workspace([{ status: 503 }, { status: 503 }, { body: [] }], {
      random: () => chance,
      retry: { pauseMs: 8 },
    });
    await trellis.schema.get();
    const waited = timers.mock.calls.map(([, ms]) => ms);
    timers.mockRestore();
    expect(waited.filter((ms) => ms === pauses[0] || ms === pauses[1])).toEqual(pauses);
  });
});
