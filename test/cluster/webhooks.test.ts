import { expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { Cluster, type ClusterNode } from './cluster.ts';

const TIMEOUT_MS = 600_000;

test(
  'the primary alone delivers, and a replica that is promoted goes on, with the same secret',
  async () => {
    await using receiver = await WebhookReceiver.start();
    await using cluster = await Cluster.create({
      MSK_GRAPH_MASTER_KEY: 'a master key for the tests of webhooks',
    });
    const primary = await cluster.node('primary');
    const replica = await cluster.node('replica');
    await primary.startPrimary();
    await replica.startReplica(await cluster.link(primary));
    const token = await primary.http.signIn();
    const clientOf = (node: ClusterNode) =>
      new TrellisClient({ baseUrl: node.address, token, readYourWrites: true });
    const first = clientOf(primary);
    await first.schema.put({ nodes: [{ type: 'Ticket', key: 'Number', fields: {} }], edges: [] });
    await first.workspace.putSettings({ fetchAllowList: [receiver.origin] });
    const hook = { name: 'hook', url: receiver.url };
    const { id, secret } = await first.webhooks.create(hook);
    const write = (client: TrellisClient, ...keys: readonly string[]) =>
      client.graph.ingest(keys.map((key) => ({ op: 'addOrUpdate', type: 'Ticket', key }) as const));
    await write(first, '1');
    await receiver.wait(1);
    const asked = await replica.http.send({ path: '/api/webhooks', token });
    expect(asked.status).toBe(303);

    const { position } = await first.webhooks.update(id, { ...hook, enabled: false });
    const { sequence } = await write(first, '2', '3');
    const headers = { 'x-msk-min-sequence': String(sequence) };
    const there = () => replica.http.send({ path: '/api/schema', token, headers });
    await expect.poll(async () => (await there()).status).toBe(200);
    await primary.process.kill();
    await replica.process.stop();
    await replica.startPrimary();
    const promoted = clientOf(replica);
    expect(await promoted.webhooks.get(id)).toMatchObject({ state: 'disabled', position });
    // Its log begins with the promotion: what was not delivered by then is told.
    await promoted.webhooks.update(id, hook);
    const to = expect.any(Number) as unknown;
    await expect
      .poll(() => promoted.webhooks.get(id))
      .toMatchObject({ state: 'active', missed: { from: position + 1, to } });
    await expect(promoted.webhooks.replay(id, { fromSequence: 1 })).rejects.toMatchObject({
      code: 'webhook_log_gone',
      status: 410,
    });
    await write(promoted, '4');
    await receiver.wait(2);
    expect(receiver.changes.map(({ key }) => key)).toEqual(['1', '4']);
    for (const received of receiver.received) WebhookReceiver.verify(secret, received);
  },
  TIMEOUT_MS,
);
