import { afterEach, beforeEach, expect, it } from 'vitest';
import { ADMIN, LIBRARY, openTestEndpoints } from '../testing/test-endpoints.ts';
import type { TestEndpoints } from '../testing/test-endpoints.ts';

let endpoints: TestEndpoints;
beforeEach(async () => {
  endpoints = await openTestEndpoints();
});
afterEach(() => endpoints[Symbol.asyncDispose]());

const PAGES = "return ((await graph.tryGet('Book', 'b'))?.Pages ?? 0).toFixed();";
/** A `Long` is a number or a text: what rounds an `Int` does not compile with it. */
const WIDER = {
  nodes: [{ ...LIBRARY.nodes[0], fields: { ...LIBRARY.nodes[0].fields, Pages: 'Long' } }],
} as const;

const uidOf = (name: string) => endpoints.service.get(ADMIN, name).UID;
const status = () => endpoints.service.codeOverview.compileStatus(ADMIN);

async function settled() {
  await expect.poll(() => status().Pending).toBe(false);
  return status().FailingIds;
}

it('has the verdicts of saving without another check', async () => {
  await endpoints.define('good', '', 'return 1;');
  await endpoints.service.create(ADMIN, { name: 'draft', code: 'export default () => nothing;' });
  expect(status()).toEqual({ FailingIds: [uidOf('draft')], Pending: false });
});

it('checks everything again when the schema changes, while all goes on serving', async () => {
  await endpoints.define('pages', '{ graph }: Scope', PAGES);
  await endpoints.define('other', '', 'return 1;');
  await endpoints.graph.addSchema(WIDER);
  endpoints.service.schemaMayHaveChanged();
  expect(status().Pending).toBe(true);
  expect(await endpoints.value('pages')).toBe('0');
  expect(await settled()).toEqual([uidOf('pages')]);
  expect(endpoints.log).toContainEqual(
    expect.objectContaining({ level: 'warn', fields: { endpoints: ['pages'] } }),
  );
  expect(await endpoints.value('pages')).toBe('0');
  // The stored verdict is that of saving, and another setting can be changed all the same.
  expect(endpoints.service.get(ADMIN, 'pages')).toMatchObject({ compiles: true });
  await endpoints.service.put(ADMIN, 'pages', { description: 'Broken by now.' });
  expect(await endpoints.value('pages')).toBe('0');
  expect(await settled()).toEqual([uidOf('pages')]);
});

it('does nothing after a commit that left the schema as it was', async () => {
  await endpoints.define('good', '', 'return 1;');
  await endpoints.graph.addSchema(LIBRARY);
  endpoints.service.schemaMayHaveChanged();
  expect(status().Pending).toBe(false);
});

it('begins anew when the schema changes while it is at work, and ends with the server', async () => {
  for (let i = 0; i < 5; i++) await endpoints.define(`pages/${i}`, '{ graph }: Scope', PAGES);
  await endpoints.graph.addSchema({ nodes: [{ type: 'Shelf', fields: {} }] });
  endpoints.service.schemaMayHaveChanged();
  await endpoints.graph.addSchema(WIDER);
  endpoints.service.schemaMayHaveChanged();
  expect(await settled()).toHaveLength(5);
  await endpoints.graph.addSchema({ nodes: [{ type: 'Room', fields: {} }] });
  endpoints.service.schemaMayHaveChanged();
  // Disposed of while it checks.
});
