import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINT_CALL_DEPTH_MAX, ENDPOINT_LOG_LINES_MAX } from '#base/endpoint-limits.ts';
import { openTestEndpoints, USER } from './testing/test-endpoints.ts';
import type { TestEndpoints } from './testing/test-endpoints.ts';

let endpoints: TestEndpoints;
beforeAll(async () => {
  endpoints = await openTestEndpoints();
});
afterAll(() => endpoints[Symbol.asyncDispose]());

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

  it('is told by a code that a path is no text', async () => {
    const call = 'run(path as string).catch((error: Problem) => error.code)';
    await endpoints.define(
      'no-path',
      '{ run }: Scope',
      `const path: unknown = { toString: 1 };\nreturn ${call};`,
    );
    expect(await endpoints.value('no-path')).toBe('invalid_request');
    await endpoints.define(
      'throws',
      '{ run }: Scope',
      'const path: unknown = [];\nreturn run(path as string);',
    );
    expect((await endpoints.problem('throws')).message).toContain('a text, not a list');
    expect(endpoints.log.filter(({ level }) => level === 'error')).toEqual([]);
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
    await endpoints.define('lines', '{ log }: Scope', lines);
    await endpoints.run('lines');
    const own = endpoints.log.filter(
      ({ fields }) => 'endpoint' in fields && fields.endpoint === 'lines',
    );
    const fields = { origin: 'endpoint', endpoint: 'lines' };
    expect(own).toEqual([
      { level: 'debug', fields, message: 'a' },
      { level: 'info', fields: { ...fields, data: { n: 1 } }, message: 'b' },
      { level: 'warn', fields: { ...fields, data: [1] }, message: 'c' },
      { level: 'error', fields, message: 'd' },
    ]);
  });

  it('is not a way to fill the disk', async () => {
    const code = "for (let i = 0; i < 1_200; i++) log.info('x'.repeat(20_000));";
    await endpoints.define('floods', '{ log }: Scope', code);
    await endpoints.run('floods');
    const own = endpoints.log.filter(
      ({ fields }) => 'endpoint' in fields && fields.endpoint === 'floods',
    );
    expect(own).toHaveLength(ENDPOINT_LOG_LINES_MAX + 1);
    const [cut, told] = own.slice(-2);
    expect(cut).toMatchObject({ level: 'warn', message: expect.stringContaining('too much') });
    expect(told).toMatchObject({
      level: 'warn',
      message: expect.stringMatching(/^201 more lines/),
    });
    expect(Math.max(...own.map(({ message }) => message.length))).toBeLessThan(10_000);
  });
});

describe('a caller that goes away', () => {
  it('is no longer waited for, and the code is told', async () => {
    await endpoints.define(
      'patient',
      '{ signal, log, graph }: Scope',
      "await graph.addOrUpdate('Book', 'begun'); await graph.commit(); if (!signal.aborted) await new Promise<void>((go) => signal.addEventListener('abort', go)); log.info(`gone: ${signal.aborted}`);",
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

function exists(key: string): boolean {
  return endpoints.graph.reader.id({ type: 'Book', key }) !== undefined;
}

/** Looks again at every turn of the event loop. */
async function untilTrue(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
