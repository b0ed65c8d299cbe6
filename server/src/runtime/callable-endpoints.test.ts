import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CallFault } from './sandbox/endpoint-call.ts';
import { EndpointPool } from './sandbox/endpoint-pool.ts';
import { ADMIN, openTestEndpoints, type TestEndpoints } from './testing/test-endpoints.ts';

let at: TestEndpoints;
beforeEach(async () => {
  at = await openTestEndpoints();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await at[Symbol.asyncDispose]();
});

const taking = (member: string): string =>
  `export const input = z.object({ ${member}: z.string() });\nexport default async () => 1;\n`;

it('has what was saved ready, and runs nothing for who asks then', async () => {
  await at.service.create(ADMIN, { name: 'first', code: taking('before') });
  await at.service.create(ADMIN, { name: 'second', code: taking('two') });
  await at.service.put(ADMIN, 'first', { code: taking('after') });
  await at.service.typesMade();
  const run = vi.spyOn(EndpointPool.prototype, 'run');
  const types = await at.service.codeOverview.programTypes(ADMIN);
  expect(types).toContain('readonly after: string;');
  expect(types).toContain('readonly two: string;');
  expect(types).not.toContain('readonly before');
  expect(run).not.toHaveBeenCalled();
});

it('asks code once that hangs, and again only for who wants to know', async () => {
  const run = vi.spyOn(EndpointPool.prototype, 'run');
  run.mockRejectedValueOnce(new CallFault('timeout', 'it took too long'));
  await at.service.create(ADMIN, { name: 'hanging', code: taking('word') });
  await at.service.typesMade();
  await at.service.create(ADMIN, { name: 'other', code: taking('other') });
  await at.service.typesMade();
  expect(run).toHaveBeenCalledTimes(2);
  expect(await at.service.codeOverview.programTypes(ADMIN)).toContain('readonly word: string;');
  expect(run).toHaveBeenCalledTimes(3);
});
