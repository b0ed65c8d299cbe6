import { expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { TrellisProcess } from '../support/trellis-process.ts';
import { LIBRARY_SCHEMA, startWorkspace } from '../support/workspace.ts';

const BOOKS = 2_000;
/** Each book is a commit of its own; those that are there already stay as they are. */
const CODE = `export default async function ({ graph, log, progress }: Scope) {
  for (let i = 0; i < ${BOOKS}; i++) {
    await graph.tryAdd('Book', 'book-' + i, { Title: 'Number ' + i });
    await graph.commit();
    if (i === 100) log.info('under way');
    progress(i / ${BOOKS});
  }
}
`;

test('a migration during which the process is killed is interrupted, runs again and completes; what it wrote is there', async () => {
  await using workspace = await startWorkspace();
  const { server, storage, token, http } = workspace;
  const schema = await http.send({
    method: 'PUT',
    path: '/api/schema',
    token,
    body: LIBRARY_SCHEMA,
  });
  expect(schema.status, schema.text).toBe(200);
  const before = new TrellisClient({ baseUrl: server.url, token });
  await before.migrations.create({ name: '001', code: CODE, runOnStartup: true });
  const { id } = await before.migrations.run('001');
  for await (const event of before.jobs.watch(id)) if (event.kind === 'log') break;
  const { total } = await before.nodes.query({ type: 'Book', take: 1 });
  await server.kill();

  await using again = await TrellisProcess.start({ storage });
  const after = new TrellisClient({ baseUrl: again.url, token });
  expect(await after.migrations.get('001')).toMatchObject({
    status: 'interrupted',
    jobId: id,
    error: { code: 'migration_interrupted' },
  });
  const left = (await after.nodes.query({ type: 'Book', take: 1 })).total;
  expect(left).toBeGreaterThanOrEqual(Math.max(total, 100));
  expect(left).toBeLessThan(BOOKS);
  const job = await after.migrations.run('001');
  for await (const event of after.jobs.watch(job.id)) void event;
  expect(await after.migrations.get('001')).toMatchObject({ status: 'succeeded', error: null });
  expect((await after.nodes.query({ type: 'Book', take: 1 })).total).toBe(BOOKS);
});
