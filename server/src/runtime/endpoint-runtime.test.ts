import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINT_CALL_DEPTH_MAX, ENDPOINT_LOG_LINES_MAX } from '#base/limits.ts';
import { ADMIN, openTestEndpoints, USER } from './testing/test-endpoints.ts';
import type { TestEndpoints } from './testing/test-endpoints.ts';

let endpoints: TestEndpoints;
beforeAll(async () => {
  endpoints = await openTestEndpoints();
});
afterAll(() => endpoints[Symbol.asyncDispose]());

describe('a call', () => {
  it('is given body and headers, and answers with JSON', async () => {
    const { define, run } = endpoints;
    await define(
      'echo',
      '{ body, headers, CurrentUser }: Scope',
      'return { body, headers, CurrentUser };',
    );
    const answer = await run('echo', { body: { a: [1, 'ü😀'] }, headers: { 'x-a': 'b' } });
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
      headers: {},
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
    await endpoints.define('inner-circle', '', 'return 1;', { access: 'admins' });
    expect(await endpoints.problem('inner-circle', { caller: USER })).toMatchObject({
      code: 'forbidden',
    });
    expect(await endpoints.value('inner-circle')).toBe(1);
    const readOnlyAdmin = { ...USER, isReadOnlyAdmin: true };
    expect(await endpoints.run('inner-circle', { caller: readOnlyAdmin })).toMatchObject({
      body: '1',
    });
  });
});

describe('run()', () => {
  it('runs another endpoint as the same caller', async () => {
    await endpoints.define(
      'inner',
      '{ body, CurrentUser }: Scope',
      'return { body, user: CurrentUser };',
    );
    await endpoints.define(
      'outer',
      '{ run }: Scope',
      "return [await run('inner', [1]), await run('inner')];",
    );
    expect(await endpoints.value('outer')).toEqual([{ body: [1], user: null }, { user: null }]);
  });

  it('throws what the other refuses, and its failures', async () => {
    await endpoints.define('refuses', '{ notFound }: Scope', "return notFound('nothing');");
    await endpoints.define('fails', '', "throw new Error('inside');");
    await endpoints.define('teapot', '{ status }: Scope', 'return status(418, {});');
    await endpoints.define(
      'catches',
      '{ run, body }: Scope<string[]>',
      'const codes: string[] = []; for (const path of body) try { await run(path); } catch (error) { codes.push((error as Problem).code); } return codes;',
    );
    const paths = ['refuses', 'fails', 'teapot', 'none'];
    const codes = ['not_found', 'endpoint_failed', 'endpoint_failed', 'endpoint_not_found'];
    expect(await endpoints.value('catches', paths)).toEqual(codes);
  });

  it('does not lead round access', async () => {
    await endpoints.define('closed', '', 'return 1;', { access: 'admins' });
    await endpoints.define('detour', '{ run }: Scope', "return run('closed');");
    expect(await endpoints.value('detour')).toBe(1);
    expect(await endpoints.problem('detour', { caller: USER })).toMatchObject({
      code: 'endpoint_failed',
    });
  });

  it('does not lead round the mark Read Only', async () => {
    await endpoints.define(
      'writer',
      '{ graph }: Scope',
      "return graph.addOrUpdate('Book', 'detour');",
    );
    await endpoints.define('ro', '{ run }: Scope', "return run('writer');", { isReadOnly: true });
    const before = endpoints.graph.reader.refresh();
    expect(await endpoints.problem('ro')).toMatchObject({
      message: expect.stringContaining('it cannot write'),
    });
    expect(endpoints.graph.reader.refresh()).toBe(before);
  });

  it('goes so deep and no deeper', async () => {
    const deeper = 'return body === 1 ? 1 : 1 + (await run<number>("deep", body - 1));';
    await endpoints.define('deep', '{ body, run }: Scope<number>', deeper);
    expect(await endpoints.value('deep', ENDPOINT_CALL_DEPTH_MAX)).toBe(ENDPOINT_CALL_DEPTH_MAX);
    const problem = await endpoints.problem('deep', { body: ENDPOINT_CALL_DEPTH_MAX + 1 });
    expect(problem).toMatchObject({
      code: 'endpoint_failed',
      message: expect.stringContaining('deep'),
    });
  });

  it('has no more time than the one who waits', async () => {
    await endpoints.define('slow', '', 'for (;;);', { timeoutMs: 60_000 });
    await endpoints.define('hasty', '{ run }: Scope', "return run('slow');", { timeoutMs: 300 });
    expect(await endpoints.problem('hasty')).toMatchObject({ code: 'endpoint_timeout' });
  });

  it('ends with what the other ended with, and is not begun again', async () => {
    await endpoints.define('loops', '', 'for (;;);', { timeoutMs: 300 });
    await endpoints.define(
      'waits',
      '{ run, log }: Scope',
      "log.info('begins'); return run('loops');",
    );
    expect(await endpoints.problem('waits')).toMatchObject({ code: 'endpoint_timeout' });
    expect(endpoints.log.filter(({ message }) => message === 'begins')).toHaveLength(1);
  });
});

describe('log', () => {
  it('writes lines under the name of the endpoint', async () => {
    const lines = "log.debug('a'); log.info('b', { n: 1 }); log.warn('c', [1]); log.error('d');";
    await endpoints.define('logs', '{ log }: Scope', lines);
    await endpoints.run('logs');
    const own = endpoints.log.filter(
      ({ fields }) => 'endpoint' in fields && fields.endpoint === 'logs',
    );
    expect(own).toEqual([
      { level: 'debug', fields: { endpoint: 'logs' }, message: 'a' },
      { level: 'info', fields: { endpoint: 'logs', data: { n: 1 } }, message: 'b' },
      { level: 'warn', fields: { endpoint: 'logs', data: [1] }, message: 'c' },
      { level: 'error', fields: { endpoint: 'logs' }, message: 'd' },
    ]);
  });

  it('is not a way to fill the disk', async () => {
    const code = "for (let i = 0; i < 1_200; i++) log.info('x'.repeat(20_000));";
    await endpoints.define('floods', '{ log }: Scope', code);
    await endpoints.run('floods');
    const own = endpoints.log.filter(
      ({ fields }) => 'endpoint' in fields && fields.endpoint === 'floods',
    );
    expect(own).toHaveLength(ENDPOINT_LOG_LINES_MAX);
    expect(own.at(-1)).toMatchObject({
      level: 'warn',
      message: expect.stringContaining('too much'),
    });
    expect(Math.max(...own.map(({ message }) => message.length))).toBeLessThan(10_000);
  });
});

describe('a caller that goes away', () => {
  it('is no longer waited for, and the code is told', async () => {
    await endpoints.define(
      'patient',
      '{ signal, log, graph }: Scope',
      "await graph.addOrUpdate('Book', 'begun'); if (!signal.aborted) await new Promise<void>((go) => signal.addEventListener('abort', go)); log.info(`gone: ${signal.aborted}`);",
    );
    const caller = new AbortController();
    const call = endpoints.run('patient', { signal: caller.signal });
    await untilTrue(() => endpoints.graph.reader.refresh() > 0 && exists('begun'));
    caller.abort(new Error('the client went away'));
    await expect(call).rejects.toThrow('the client went away');
    await untilTrue(() => endpoints.log.some(({ message }) => message === 'gone: true'));
  });

  it('before the call is not served', async () => {
    await endpoints.define('unwanted', '{ log }: Scope', "log.info('unwanted ran');");
    const signal = AbortSignal.abort(new Error('gone already'));
    await expect(endpoints.run('unwanted', { signal })).rejects.toThrow('gone already');
    expect(endpoints.log.some(({ message }) => message === 'unwanted ran')).toBe(false);
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

function exists(key: string): boolean {
  return endpoints.graph.reader.id({ type: 'Book', key }) !== undefined;
}

/** Looks again at every turn of the event loop. */
async function untilTrue(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
