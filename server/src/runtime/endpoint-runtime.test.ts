import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestEndpoints } from './testing/test-endpoints.ts';
import type { TestEndpoints } from './testing/test-endpoints.ts';

let endpoints: TestEndpoints;
beforeAll(async () => {
  endpoints = await openTestEndpoints();
});
afterAll(() => endpoints[Symbol.asyncDispose]());

describe('a call', () => {
  it('is given the body, the headers and the user, and answers with JSON', async () => {
    const { define, run } = endpoints;
    await define(
      'echo',
      '{ body, headers, CurrentUser }: Scope',
      'return { body, headers, CurrentUser };',
    );
    const answer = await run('echo', { body: { a: [1, 'ü'] }, headers: { 'x-a': 'b' } });
    expect(answer).toEqual({
      status: 200,
      body: '{"body":{"a":[1,"ü"]},"headers":{"x-a":"b"},"CurrentUser":null}',
    });
  });
});
