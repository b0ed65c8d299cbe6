import { expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { TrellisProcess } from '../support/trellis-process.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { startWorkspace } from '../support/workspace.ts';

const COMMITS = 200;
const KILLS = 3;

test('after kill -9 in the middle, everything is delivered, in order', async () => {
  await using receiver = await WebhookReceiver.start();
  await using workspace = await startWorkspace();
  const { storage, token } = workspace;
  let server = workspace.server;
  const client = () => new TrellisClient({ baseUrl: server.url, token });
  await client().schema.put({
    nodes: [{ type: 'Ticket', key: 'Number', fields: { Size: 'Int' } }],
    edges: [],
  });
  await client().workspace.putSettings({ fetchAllowList: [receiver.origin] });
  const hook = { name: 'hook', url: receiver.url };
  const { id, secret } = await client().webhooks.create(hook);
  for (let size = 0; size < COMMITS; size++) {
    const fields = { Size: size };
    await client().graph.ingest([{ op: 'addOrUpdate', type: 'Ticket', key: '1', fields }]);
  }
  // From the start once more, so that there is something to do at each kill.
  await receiver.wait(COMMITS);
  const first = receiver.bodies[0]!.sequence;
  receiver.received.length = 0;
  // It takes its time, in which the server is killed: before its answer, and after it.
  receiver.answer = (response) => setTimeout(() => response.writeHead(204).end(), 2);
  await client().webhooks.replay(id, { fromSequence: first });
  await using servers = new AsyncDisposableStack();
  for (let kills = 1; kills <= KILLS; kills++) {
    await receiver.wait(receiver.received.length + COMMITS / (KILLS + 4));
    await server.kill();
    server = servers.use(await TrellisProcess.start({ storage }));
  }
  const sizes = () => receiver.changes.map(({ node }) => Number(node?.['Size']));
  await expect.poll(() => sizes().at(-1)).toBe(COMMITS - 1);
  // What came again did so in order, too: nothing comes first after something later.
  const all = sizes();
  expect([...new Set(all)]).toEqual(Array.from({ length: COMMITS }, (_, size) => size));
  // Under the same id as before.
  expect(new Set(receiver.received.map((one) => one.id)).size).toBe(COMMITS);
  for (const received of receiver.received) WebhookReceiver.verify(secret, received);
  expect(await client().webhooks.get(id)).toMatchObject({ missed: null, state: 'active' });
});
