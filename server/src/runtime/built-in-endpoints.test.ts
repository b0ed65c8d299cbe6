import { afterAll, beforeAll, expect, it } from 'vitest';
import { StagedCommits } from '#graph/staged-commits.ts';
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

it('is not compiled for a change of the schema, which it names nothing of', async () => {
  const { service, graph } = endpoints;
  const code = `export default async ({ graph }: Scope) => (await graph.get('Book', 'a')).Pages;`;
  await service.install(ADMIN, { name: NAME, code });
  await service.create(ADMIN, { name: 'reads', code });
  const { storage, clock } = graph;
  await using staged = StagedCommits.open({ storage, environmentKey: undefined, clock });
  const edits = { edits: [{ rename: { type: 'Book', to: 'Volume' } }] } as const;
  const over = service.over(staged);
  await staged.commits.commit({ operations: [], edits });
  const broken = await over.broken(new AbortController().signal);
  expect(broken.map(({ name }) => name)).toEqual(['reads']);
  await service.delete(ADMIN, 'reads');
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
