import { expect, test } from 'vitest';
import { HttpClient, valueAt } from '../support/http-client.ts';
import { scale } from '../support/scale.ts';
import { untilIndexed } from '../support/search-index.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';

const STARTS = scale({ sample: 8, soak: 60 });
const NOTES = 4_000;
/** It refuses nothing itself: what fails in it is a failure. */
const FIND = `export default async function ({ search }: Scope) {
  const { total } = await search({ query: 'harbour' });
  return total;
}`;

async function write(http: HttpClient, token: string, method: string, path: string, body: object) {
  const answer = await http.send({ method, path, token, body });
  expect(answer.status, answer.text).toBeLessThan(300);
}

async function prepare(http: HttpClient, token: string): Promise<void> {
  const nodes = [{ type: 'Note', key: 'Name', fields: { Text: 'String' } }];
  await write(http, token, 'PUT', '/api/schema', { nodes, edges: [] });
  const operations = Array.from({ length: NOTES }, (_, i) => ({
    op: 'addOrUpdate',
    type: 'Note',
    key: `n${i}`,
    fields: { Text: `the harbour of ${i} ships, ${(i * 7919).toString(36)}` },
  }));
  await write(http, token, 'POST', '/api/ingest', { operations });
  const fields = { Text: { text: { boost: 1 } } };
  const settings = { types: { Note: { language: 'en', fields } } };
  await write(http, token, 'PUT', '/api/search/settings', settings);
  const endpoint = { name: 'find', isReadOnly: true, code: FIND };
  await write(http, token, 'POST', '/api/endpoints/create', endpoint);
  await untilIndexed(http, token);
}

test(
  'whoever is told that the server is ready finds what the saved index has',
  async () => {
    await using folder = await temporaryFolder();
    const start = () => TrellisProcess.start({ storage: folder.path });
    {
      await using first = await start();
      const http = new HttpClient(first.url);
      await prepare(http, await http.signIn());
      // The index is saved as it stops.
      await first.stop();
    }
    const answers: unknown[] = [];
    for (let i = 0; i < STARTS; i++) {
      await using server = await start();
      const http = new HttpClient(server.url);
      expect((await http.send({ path: '/api/graph/ready' })).json).toBe(true);
      expect((await http.send({ path: '/api/available-status' })).status).toBe(200);
      expect((await http.send({ path: '/health' })).json).toMatchObject({ ready: true });
      const token = await http.signIn();
      const [own, system] = await Promise.all([
        http.send({ path: '/api/endpoints/run/find', token, body: {} }),
        http.send({ path: '/api/cce/system/search', token, body: { query: 'harbour' } }),
      ]);
      answers.push([own.status, own.json, system.status, valueAt(system.json, 'total')]);
      await server.kill();
    }
    expect(answers).toEqual(answers.map(() => [200, NOTES, 200, NOTES]));
  },
  scale({ sample: 180_000, soak: 900_000 }),
);
