import { afterAll, beforeAll, expect, it } from 'vitest';
import { problemOf } from '#graph/testing/test-graph.ts';
import { ADMIN, openTestEndpoints } from './testing/test-endpoints.ts';
import type { TestEndpoints } from './testing/test-endpoints.ts';

let endpoints: TestEndpoints;
beforeAll(async () => {
  endpoints = await openTestEndpoints();
});
afterAll(() => endpoints[Symbol.asyncDispose]());

const NAME = 'system/one';
const answers = (value: number) => `export default () => ${value};`;
const sequence = () => endpoints.graph.reader.refresh();

it('commits a built-in endpoint only where it differs from what is there', async () => {
  const { service } = endpoints;
  const first = { name: NAME, code: answers(1), isReadOnly: true };
  await service.install(ADMIN, first);
  const definition = service.get(ADMIN, NAME);
  expect(definition).toMatchObject({ version: 1, isReadOnly: true, compiles: true });
  const installed = sequence();
  await service.install(ADMIN, first);
  expect(sequence()).toBe(installed);

  await service.install(ADMIN, { ...first, code: answers(2) });
  expect(service.get(ADMIN, NAME)).toMatchObject({ version: 2, UID: definition.UID });
  expect(await endpoints.value(NAME)).toBe(2);
  await service.install(ADMIN, { ...first, code: answers(2), timeoutMs: 1_000 });
  expect(service.get(ADMIN, NAME)).toMatchObject({ version: 3, timeoutMs: 1_000 });
  // A setting that is left out has its default again.
  await service.install(ADMIN, { ...first, code: answers(2) });
  expect(service.get(ADMIN, NAME)).toMatchObject({ version: 4, timeoutMs: 30_000 });
});

it('lets nobody change, restore or delete it', async () => {
  const { service } = endpoints;
  await service.install(ADMIN, { name: NAME, code: answers(5) });
  const before = sequence();
  const item = { kind: 'endpoint', name: NAME } as const;
  for (const attempt of [
    () => service.put(ADMIN, NAME, { code: answers(0) }),
    () => service.delete(ADMIN, NAME),
    () => service.codeHistory.restore(ADMIN, item, { version: 1 }, '127.0.0.1'),
  ]) {
    expect(await problemOf(attempt)).toMatchObject({ code: 'endpoint_built_in' });
  }
  expect(await problemOf(() => service.delete(ADMIN, 'system/none'))).toMatchObject({
    code: 'endpoint_not_found',
  });
  expect(sequence()).toBe(before);
});

it('is marked in the catalog', async () => {
  await endpoints.define('mine', '', 'return 1;');
  const marks = endpoints.service.codeOverview
    .catalog(ADMIN)
    .items.map(({ name, isBuiltIn }) => [name, isBuiltIn]);
  expect(marks).toEqual([
    ['mine', false],
    [NAME, true],
  ]);
});
