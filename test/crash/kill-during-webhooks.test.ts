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

test('a kill before a delivery is sent, before its answer, before it is noted, and after', async () => {
  await using receiver = await WebhookReceiver.start();
  await using workspace = await startWorkspace();
  const { storage, token } = workspace;
  let server = workspace.server;
  await using servers = new AsyncDisposableStack();
  const client = () => new TrellisClient({ baseUrl: server.url, token });
  const killAndStart = async (): Promise<void> => {
    await server.kill();
    server = servers.use(await TrellisProcess.start({ storage }));
  };
  const write = (key: string) =>
    client().graph.ingest([{ op: 'addOrUpdate', type: 'Ticket', key, fields: {} }]);
  const keys = () => receiver.changes.map(({ key }) => key);
  await client().schema.put({ nodes: [{ type: 'Ticket', key: 'Number', fields: {} }], edges: [] });
  await client().workspace.putSettings({ fetchAllowList: [receiver.origin] });
  const hook = { name: 'hook', url: receiver.url };
  const { id, secret } = await client().webhooks.create(hook);

  // The first is on its way and has no answer; the second is not sent.
  receiver.answer = () => {};
  await write('1');
  await receiver.wait(1);
  await write('2');
  await killAndStart();
  await receiver.wait(2);
  expect(keys()).toEqual(['1', '1']);

  // Both have their answer, which is not noted yet.
  const answered = Promise.withResolvers<void>();
  receiver.answer = (response, { body }) => {
    const isLast = body.changes.some(({ key }) => key === '2');
    response.writeHead(204).end(() => isLast && answered.resolve());
  };
  await killAndStart();
  await answered.promise;
  await server.kill();
  receiver.answer = undefined;
  server = servers.use(await TrellisProcess.start({ storage }));
  const twice = () => keys().filter((key) => key === '2').length;
  await expect.poll(twice).toBe(2);
  expect(keys().slice(0, 4)).toEqual(['1', '1', '1', '2']);

  // Once it is noted, nothing is sent again.
  await client().webhooks.update(id, { ...hook, enabled: false });
  await client().webhooks.update(id, hook);
  const noted = keys().length;
  await killAndStart();
  await write('3');
  await receiver.wait(noted + 1);
  expect(keys().slice(noted)).toEqual(['3']);

  // What fails is tried again after a start, before what comes later, and its tries are counted on.
  await client().webhooks.update(id, { ...hook, enabled: false });
  await client().webhooks.update(id, hook);
  receiver.answer = (response) => response.writeHead(500).end();
  const before = keys().length;
  await write('4');
  await expect.poll(async () => (await client().webhooks.get(id)).attempts).toBeGreaterThan(0);
  const { attempts } = await client().webhooks.get(id);
  await write('5');
  await killAndStart();
  expect((await client().webhooks.get(id)).attempts).toBeGreaterThanOrEqual(attempts);
  receiver.answer = undefined;
  await expect.poll(() => keys().at(-1)).toBe('5');
  expect([...new Set(keys().slice(before))]).toEqual(['4', '5']);
  const ids = new Map(receiver.received.map((one) => [one.body.sequence, one.id]));
  expect(ids.size).toBe(5);
  for (const received of receiver.received) {
    expect(ids.get(received.body.sequence)).toBe(received.id);
    WebhookReceiver.verify(secret, received);
  }
  expect(await client().webhooks.get(id)).toMatchObject({ missed: null, state: 'active' });
});
