import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN, openTestEndpoints, USER } from './testing/test-endpoints.ts';
import type { TestEndpoints } from './testing/test-endpoints.ts';

let endpoints: TestEndpoints;
beforeAll(async () => {
  endpoints = await openTestEndpoints();
});
afterAll(() => endpoints[Symbol.asyncDispose]());

it('the first call has all its time, although a worker has to start for it', async () => {
  await using at = await openTestEndpoints();
  await at.define('brief', '', 'return 1;', { timeoutMs: 200 });
  expect(await at.value('brief')).toBe(1);
});

describe('a call', () => {
  it('is given body and headers, and answers with JSON', async () => {
    const { define, run } = endpoints;
    await define(
      'echo',
      '{ body, headers, CurrentUser }: Scope',
      'return { body, headers, CurrentUser };',
    );
    const answer = await run('echo', { body: { a: [1, 'ü😀'] }, headers: '{"x-a":"b"}' });
    const body = '{"body":{"a":[1,"ü😀"]},"headers":{"x-a":"b"},"CurrentUser":null}';
    expect(answer).toEqual({ status: 200, body });
  });

  it.each([
    ['undefined', 'return;', 'null'],
    ['nothing', '', 'null'],
    ['a text', "return 'x';", '"x"'],
    ['a function', 'return () => 1;', 'null'],
    ['a date', 'return new Date(0);', '"1970-01-01T00:00:00.000Z"'],
    ['a promise', 'return Promise.resolve([1]);', '[1]'],
  ])('that returns %s answers %s', async (name, code, body) => {
    await endpoints.define(`returns/${name.replaceAll(' ', '-')}`, '', code);
    expect(await endpoints.run(`returns/${name.replaceAll(' ', '-')}`)).toEqual({
      status: 200,
      body,
    });
  });

  it('without a body has none', async () => {
    await endpoints.define('no-body', '{ body }: Scope', 'return typeof body;');
    expect(await endpoints.value('no-body')).toBe('undefined');
  });

  it('with a body that is not JSON is refused', async () => {
    await endpoints.define('any-body', '{ body }: Scope', 'return body;');
    const { service } = endpoints;
    const call = {
      name: 'any-body',
      caller: USER,
      headers: '{}',
      authorization: undefined,
      runKey: null,
      signal: new AbortController().signal,
    };
    await expect(service.run({ ...call, body: '{"a":' })).rejects.toMatchObject({
      code: 'malformed_json',
    });
    expect(await service.run({ ...call, body: ' [1] ' })).toEqual({ status: 200, body: '[1]' });
  });

  it('knows the user it acts for', async () => {
    const { outcomes } = await endpoints.graph.writer.commit({
      operations: [
        { op: 'addOrUpdate', type: '_User', fields: { UserName: 'ada', FullName: 'Ada L' } },
      ],
      system: true,
    });
    const userUid = outcomes[0]?.uid ?? null;
    await endpoints.define('me', '{ CurrentUser }: Scope', 'return CurrentUser?.FullName;');
    const me = async () => (await endpoints.run('me', { caller: { ...USER, userUid } })).body;
    expect(await me()).toBe('"Ada L"');
    const fields = { FullName: 'Ada Lovelace' };
    const operation = { op: 'update', uid: String(userUid), fields } as const;
    await endpoints.graph.writer.commit({ operations: [operation], system: true });
    expect(await me()).toBe('"Ada Lovelace"');
  });
});

describe('result helpers', () => {
  it.each([
    ['ok()', { status: 200, body: 'null' }],
    ['ok([1])', { status: 200, body: '[1]' }],
    ["status(418, { short: 'stout' })", { status: 418, body: '{"short":"stout"}' }],
    ['status(204, 1)', { status: 204, body: null }],
    ['badRequest({ field: 1 })', { status: 400, body: '{"field":1}' }],
    ['notFound([1])', { status: 404, body: '[1]' }],
    ["redirect('/x?y=1')", { status: 302, body: null, headers: { location: '/x?y=1' } }],
    [
      "redirect('https://a.b/', 308)",
      { status: 308, body: null, headers: { location: 'https://a.b/' } },
    ],
  ])('%s', async (call, answer) => {
    const name = `helpers/${call.replaceAll(/\W+/g, '-')}0`;
    const [helper] = call.split('(');
    await endpoints.define(name, `{ ${helper} }: Scope`, `return ${call};`);
    expect(await endpoints.run(name)).toEqual(answer);
    await endpoints.define(`${name}t`, `{ ${helper} }: Scope`, `throw ${call};`);
    expect(await endpoints.run(`${name}t`)).toEqual(answer);
  });

  it.each([
    ["badRequest('no word')", 'bad_request', 'no word'],
    ["unauthorized('who?')", 'unauthorized', 'who?'],
    ["forbidden('not you')", 'forbidden', 'not you'],
    ["notFound('no such thing')", 'not_found', 'no such thing'],
    ['notFound()', 'not_found', 'There is nothing here.'],
  ])('%s becomes an error body', async (call, code, message) => {
    const name = `refusals/${call.replaceAll(/\W+/g, '-')}0`;
    await endpoints.define(name, `{ ${call.split('(')[0]} }: Scope`, `return ${call};`);
    expect(await endpoints.problem(name, { caller: USER })).toMatchObject({ code, message });
  });

  it.each([
    ['status(99)', /a status is a whole number from 200 to 599, not 99/],
    ['status(600)', /not 600/],
    ['redirect("/a\\nSet-Cookie: b=c")', /no URL/],
  ])('%s fails', async (call, message) => {
    const name = `wrong/${call.replaceAll(/\W+/g, '-')}0`;
    await endpoints.define(name, `{ ${call.split('(')[0]} }: Scope`, `return ${call};`);
    expect(await endpoints.problem(name)).toMatchObject({
      code: 'endpoint_failed',
      message: expect.stringMatching(message),
    });
  });
});

describe('a call that fails', () => {
  it('shows an administrator what was thrown, and where', async () => {
    await endpoints.define(
      'throws',
      '',
      '  const ink = null;\n  throw new Error(`out of ink ${ink}`);',
    );
    expect(await endpoints.problem('throws')).toMatchObject({
      code: 'endpoint_failed',
      message: 'Error: out of ink null (line 3, column 9)',
      details: { line: 3, column: 9 },
    });
  });

  it('shows nobody else', async () => {
    await endpoints.define('throws-too', '', "throw new Error('secret');");
    const problem = await endpoints.problem('throws-too', { caller: USER });
    expect(problem).toMatchObject({
      code: 'endpoint_failed',
      message: 'The endpoint "throws-too" failed',
    });
    expect(problem.details).toBeUndefined();
  });

  it('of its time', async () => {
    await endpoints.define('late', '', 'await new Promise(() => {});', { timeoutMs: 50 });
    expect(await endpoints.problem('late')).toMatchObject({ code: 'endpoint_timeout' });
  });

  it('of its memory', async () => {
    await endpoints.define('greedy', '', 'const all: unknown[] = []; for (;;) all.push({});', {
      timeoutMs: 20_000,
    });
    expect(await endpoints.problem('greedy')).toMatchObject({
      code: 'endpoint_failed',
      details: { reason: 'memory' },
    });
  });

  it('because there is no such endpoint', async () => {
    expect(await endpoints.problem('no/such')).toMatchObject({ code: 'endpoint_not_found' });
  });

  it('because it is for administrators', async () => {
    const inner = { access: 'admins' } as const;
    await endpoints.define('inner-circle', '', 'return 1;', { ...inner, isReadOnly: true });
    await endpoints.define('inner-writer', '', 'return 1;', inner);
    const readOnlyAdmin = { ...USER, isReadOnlyAdmin: true };
    const forbidden = { code: 'forbidden' };
    // Others get what they would get if it were not there.
    const refused = await endpoints.problem('inner-circle', { caller: USER });
    const absent = await endpoints.problem('inner-circus', { caller: USER });
    const { code, message } = absent;
    expect(refused).toMatchObject({ ...absent, message: message.replace('circus', 'circle') });
    expect(code).toBe('endpoint_not_found');
    expect(await endpoints.problem('inner-writer', { caller: USER })).toMatchObject({ code });
    expect(await endpoints.value('inner-circle')).toBe(1);
    const read = await endpoints.run('inner-circle', { caller: readOnlyAdmin });
    expect(read).toMatchObject({ body: '1' });
    expect(await endpoints.problem('inner-writer', { caller: readOnlyAdmin })).toMatchObject(
      forbidden,
    );
  });
});

it('keeps globals from one call to the next, and nothing between endpoints', async () => {
  await endpoints.service.create(ADMIN, {
    name: 'counts',
    code: 'let calls = 0;\nexport default () => ++calls;',
  });
  await endpoints.define('others', '', "return typeof Reflect.get(globalThis, 'calls');");
  expect(await endpoints.value('counts')).toBe(1);
  expect(await endpoints.value('counts')).toBe(2);
  expect(await endpoints.value('others')).toBe('undefined');
});

describe('on a replica', () => {
  it('only endpoints that are read-only run', async () => {
    await using replica = await openTestEndpoints(1, true);
    await replica.define('reads', '', 'return 1;', { isReadOnly: true });
    await replica.define('writes', '', 'return 1;');
    expect(await replica.value('reads')).toBe(1);
    const refused = { code: 'read_only_replica' };
    expect(await replica.problem('writes')).toMatchObject(refused);
    expect(await replica.problem('no/such')).toMatchObject({ code: 'endpoint_not_found' });
  });
});
