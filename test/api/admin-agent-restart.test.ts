import { expect, test } from 'vitest';
import { AdminAgentScene, newEndpoint } from '../support/admin-agent-scene.ts';
import { eventsOf } from '../support/chat-scene.ts';
import { HttpClient } from '../support/http-client.ts';
import { TrellisProcess } from '../support/trellis-process.ts';

const NAMES = Array.from({ length: 12 }, (_, index) => `cut/${index}`);

test('a server that is killed in the middle of a commit leaves no half of a definition, and keeps conversations', async () => {
  await using at = await AdminAgentScene.start();
  const session = await at.begin();
  await at.upload(session, 'kept.txt', 'Kept.');
  await at.proposes(session, ...NAMES.map((name) => newEndpoint(name)));
  const before = await at.ok('admin', 'GET', session);
  await at.beginUpload(session, 'half');
  let logged = 0;
  const { server, storage } = at.people.workspace;
  try {
    for await (const { event } of eventsOf(await at.approve(session))) {
      expect(event).toBe('log');
      // Approved, and two are done.
      if (++logged === 3) await server.kill();
    }
  } catch {
    // The connection has gone with the server.
  }
  expect(server.isRunning).toBe(false);

  await using again = await TrellisProcess.start({ storage });
  const http = new HttpClient(again.url);
  const token = await http.signIn();
  const get = async (path: string) => Object((await http.send({ path, token })).json);
  const { items } = await get('/api/endpoints?take=1000');
  const made = items.filter(({ name }: { name: string }) => NAMES.includes(name));
  expect(made.length).toBeGreaterThanOrEqual(2);
  for (const { name, compiles, version } of made) {
    expect([compiles, version]).toEqual([true, 1]);
    const history = await get(`/api/code/history/item/endpoint/${name}`);
    expect(history.items).toMatchObject([{ version: 1, action: 'created' }]);
  }
  const after = await get(session);
  expect(after).toMatchObject({ messages: before.messages, uploads: before.uploads });
  // What is not done is still proposed, unless the last of it was written.
  if (after.proposal !== null) expect(after.proposal).toEqual(before.proposal);
  const { text } = await http.send({ path: '/api/graph/stats/database', token });
  expect(text).toMatch(/^_FileEntry +1\b/m);
  expect(text).toMatch(/^_FileChunk +1\b/m);
});
