import { afterAll, beforeAll, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { TrellisProcess } from '../support/trellis-process.ts';
import { LIBRARY_SCHEMA, startWorkspace, type TestWorkspace } from '../support/workspace.ts';

type Schema = Parameters<TrellisClient['schema']['put']>[0];

/** It takes pages for a number, which a `Long` is not always. */
const PAGES = `export default async ({ graph }: Scope) => {
  const pages = ((await graph.tryGet('Book', 'b'))?.Pages ?? 0).toFixed();
  await graph.addOrUpdate('Book', 'written', { Title: pages });
};
`;
const [BOOK, ...OTHERS] = LIBRARY_SCHEMA.nodes;
const WIDER = {
  ...LIBRARY_SCHEMA,
  nodes: [{ ...BOOK, fields: { ...BOOK?.fields, Pages: 'Long' } }, ...OTHERS],
} as Schema;

let workspace: TestWorkspace;
beforeAll(async () => void (workspace = await startWorkspace()));
afterAll(() => workspace[Symbol.asyncDispose]());

/** The names of what fails, once nothing is pending any more. */
async function failing(admin: TrellisClient): Promise<string[]> {
  await expect.poll(async () => (await admin.build.getCompileStatus()).Pending).toBe(false);
  const { FailingIds } = await admin.build.getCompileStatus();
  const { items } = await admin.build.getCatalog();
  const failed = items.filter(({ uid }) => FailingIds.includes(uid));
  // Where something is done with, the catalog alone may say that it does not compile.
  expect(failed.every(({ compiles }) => !compiles)).toBe(true);
  return failed.map(({ name }) => name);
}

test('a migration that a change of the schema has broken says so everywhere, and is not run', async () => {
  const { server, token, storage } = workspace;
  const admin = new TrellisClient({ baseUrl: server.url, token });
  await admin.schema.put(LIBRARY_SCHEMA as Schema);
  for (const name of ['1 done', '2 waits']) {
    expect(await admin.migrations.create({ name, code: PAGES })).toMatchObject({ compiles: true });
  }
  const { id } = await admin.migrations.run('1 done');
  for await (const event of admin.jobs.watch(id)) void event;
  expect(await admin.migrations.get('1 done')).toMatchObject({ status: 'succeeded' });
  expect(await failing(admin)).toEqual([]);
  const { items: before } = await admin.nodes.query({ type: 'Book' });

  await admin.schema.put(WIDER);
  expect(await failing(admin)).toEqual(['2 waits']);
  const broken = { status: 'pending', version: 1, compiles: false, ranVersion: null };
  const diagnostics = [expect.objectContaining({ line: 2, message: expect.any(String) })];
  expect(await admin.migrations.get('2 waits')).toMatchObject({ ...broken, diagnostics });
  const { items } = await admin.migrations.list();
  expect(items.map(({ compiles }) => compiles)).toEqual([true, false]);
  await expect(admin.migrations.run('2 waits')).rejects.toMatchObject({
    code: 'migration_not_compiled',
  });
  expect((await admin.nodes.query({ type: 'Book' })).items).toEqual(before);
  const job = (await admin.jobs.list({ kind: 'endpoint-recheck' })).items[0];
  expect((await admin.jobs.get(job!.id)).log.map(({ text }) => text)).toContain(
    'The migration 2 waits does not compile any more',
  );
  expect(server.stderr).toContain('these migrations do not compile any more');

  // One that is to run again is looked at again.
  await admin.migrations.resetStatus({ name: '1 done' });
  expect(await failing(admin)).toEqual(['1 done', '2 waits']);
  const code = PAGES.replace('.toFixed()', '.toString()');
  expect(await admin.migrations.put('1 done', { code })).toMatchObject({ compiles: true });
  expect(await failing(admin)).toEqual(['2 waits']);

  // Behind a start the verdict of saving counts until the list has had it looked at.
  expect(await server.stop()).toBe(0);
  await using again = await TrellisProcess.start({ storage });
  const later = new TrellisClient({ baseUrl: again.url, token });
  const verdicts = async () =>
    (await later.migrations.list()).items.map(({ compiles }) => compiles);
  await expect.poll(verdicts).toEqual([true, false]);
});
