import { expect, it } from 'vitest';
import { scripted } from '../testing/scripted-server.ts';

const RESULT = {
  dryRun: true,
  mirror: false,
  jobId: null,
  totals: { created: 0, changed: 0, deleted: 0, unchanged: 1, failed: 0 },
  items: [],
  ignored: [],
};

it('downloads an export', async () => {
  const { client, seen } = await scripted([
    { body: 'PK', headers: { 'content-type': 'application/zip' } },
  ]);
  expect(await new Response(await client.definitions.export()).text()).toBe('PK');
  expect(seen.map(({ method, url }) => [method, url])).toEqual([
    ['GET', '/api/graph/export-definitions'],
  ]);
});

it('uploads a zip, and gives the events of its import', async () => {
  const stream = [
    'event: log\ndata: {"text":"one"}\n\n',
    ':\n\n',
    `event: result\ndata: ${JSON.stringify(RESULT)}\n\n`,
    'event: done\ndata: {}\n\n',
  ];
  const { client, seen } = await scripted([
    { body: stream.join(''), headers: { 'content-type': 'text/event-stream' } },
  ]);
  const zip = new TextEncoder().encode('PK');
  const events = client.definitions.import(zip, { dryRun: true });
  expect(await Array.fromAsync(events)).toEqual([
    { kind: 'log', text: 'one' },
    { kind: 'result', result: RESULT },
  ]);
  expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['POST', '/api/graph/import-definitions?mirror=false&dryRun=true&drafts=false', 'PK'],
  ]);
  expect(seen[0]?.headers['content-type']).toBe('application/zip');
});

it('rejects with what an import is refused for', async () => {
  const body = { error: { code: 'not_a_zip', message: 'No.' }, traceId: 't' };
  const { client } = await scripted([{ status: 400, body }]);
  const refused = Array.fromAsync(client.definitions.import(new Blob(['x'])));
  await expect(refused).rejects.toMatchObject({ code: 'not_a_zip' });
});
