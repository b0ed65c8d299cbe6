import { expect, test } from 'vitest';
import { nodeUid } from '@trellis/client/uid.ts';
import { makeBackup, restore, startLibrary, verified } from '../support/backups.ts';
import { runTrellis } from '../support/command-line.ts';
import { HttpClient } from '../support/http-client.ts';
import { TrellisProcess } from '../support/trellis-process.ts';

const OLD_KEY = 'a master key of more than sixteen characters';
const NEW_KEY = 'another master key of more than sixteen characters';
const PATH = `/api/node/${nodeUid('Book', 'b')}/history`;

/** What a server that is started on a folder tells of the history of the book. */
async function historyIn(storage: string, masterKey: string): Promise<unknown> {
  const env = { MSK_GRAPH_MASTER_KEY: masterKey };
  await using server = await TrellisProcess.start({ storage, env });
  const http = new HttpClient(server.url);
  const { status, json } = await http.send({ path: PATH, token: await http.signIn() });
  expect(status).toBe(200);
  await server.stop();
  return json;
}

/** It starts several processes, one after the other. */
const TIMEOUT = { timeout: 180_000 };

test(
  'a backup, its restore, a compaction and another master key keep the history of a node',
  TIMEOUT,
  async () => {
    await using library = await startLibrary({ MSK_GRAPH_MASTER_KEY: OLD_KEY });
    const { client, http, token, backups, scratch: storage } = library;
    const name = (title: string) =>
      client.graph.ingest([
        { op: 'addOrUpdate', type: 'Book', key: 'b', fields: { Title: title } },
      ]);
    await name('First');
    await name('Second');
    await makeBackup(client);
    await name('Third');
    // The second backup reads only what has changed.
    const backup = await makeBackup(client);
    expect(await verified(client, backup.id)).toMatchObject({ state: 'succeeded' });
    const { json } = await http.send({ path: PATH, token });
    expect(json).toMatchObject({
      total: 3,
      items: [
        { changes: [{ field: 'Title', before: 'Second', after: 'Third' }] },
        { changes: [{ field: 'Title', before: 'First', after: 'Second' }] },
        { version: 1 },
      ],
    });
    await library.server.stop();
    const restored = await restore([backups, '--to', storage], { MSK_GRAPH_MASTER_KEY: OLD_KEY });
    expect([restored.code, restored.stderr]).toEqual([0, expect.any(String)]);
    expect(await historyIn(storage, OLD_KEY)).toEqual(json);
    const care = async (key: string, ...args: readonly string[]): Promise<void> => {
      const env = { MSK_GRAPH_STORAGE: storage, MSK_GRAPH_MASTER_KEY: key };
      const done = await runTrellis(['storage', ...args], {
        home: '/nonexistent',
        server: '',
        env: { ...env, TRELLIS_NEW_MASTER_KEY: NEW_KEY },
      });
      expect([args, done.code, done.stderr]).toEqual([args, 0, expect.any(String)]);
    };
    await care(OLD_KEY, 'compact');
    await care(OLD_KEY, 'rotate-key');
    await care(NEW_KEY, 'verify');
    expect(await historyIn(storage, NEW_KEY)).toEqual(json);
  },
);
