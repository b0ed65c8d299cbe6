import { expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { Cluster, type ClusterNode } from './cluster.ts';

const TIMEOUT_MS = 600_000;
const CODE = `// trellis: on created Ticket
export default async ({ body, graph }: Scope<{ key: string }>) => {
  await graph.addOrUpdate('Seen', Date.now() + ' ' + Math.random(), { Of: body.key });
};
`;

test(
  'triggers run on the primary alone, and a replica that is promoted goes on with them',
  async () => {
    await using cluster = await Cluster.create({
      MSK_GRAPH_MASTER_KEY: 'a master key for the tests of triggers',
    });
    const primary = await cluster.node('primary');
    const replica = await cluster.node('replica');
    await primary.startPrimary();
    await replica.startReplica(await cluster.link(primary));
    const token = await primary.http.signIn();
    const clientOf = (node: ClusterNode) =>
      new TrellisClient({ baseUrl: node.address, token, readYourWrites: true });
    const first = clientOf(primary);
    await first.schema.put({
      nodes: [
        { type: 'Ticket', key: 'Number', fields: {} },
        { type: 'Seen', key: 'Key', fields: { Of: 'String' } },
      ],
      edges: [],
    });
    await first.endpoints.create({ name: 'watch', code: CODE });
    const write = (...keys: readonly string[]) =>
      first.graph.ingest(keys.map((key) => ({ op: 'addOrUpdate', type: 'Ticket', key }) as const));
    const seenBy = async (client: TrellisClient) => {
      const { items } = await client.nodes.query({ type: 'Seen', take: 1_000 });
      return items.map(({ Of }) => Of).toSorted();
    };
    await write('1', '2', '3');
    await expect.poll(() => seenBy(first)).toEqual(['1', '2', '3']);
    expect((await first.triggers.list()).items).toMatchObject([{ runs: 3, failures: 0 }]);
    const asked = await replica.http.send({ path: '/api/admin/triggers', token });
    expect(asked.status).toBe(303);

    const { position } = await first.triggers.pause({ endpoint: 'watch' });
    const { sequence } = await write('4', '5');
    const headers = { 'x-msk-min-sequence': String(sequence) };
    const there = () => replica.http.send({ path: '/api/schema', token, headers });
    await expect.poll(async () => (await there()).status).toBe(200);
    await primary.process.kill();
    await replica.process.stop();
    await replica.startPrimary();
    const promoted = clientOf(replica);
    expect((await promoted.triggers.list()).items).toMatchObject([{ isPaused: true }]);
    expect(await seenBy(promoted)).toEqual(['1', '2', '3']);
    // Its log begins with the promotion: what had not run by then is told.
    await promoted.triggers.resume({ endpoint: 'watch' });
    const to = expect.any(Number) as unknown;
    await expect
      .poll(async () => (await promoted.triggers.list()).items)
      .toMatchObject([{ isPaused: false, missed: { from: position + 1, to } }]);
    await promoted.graph.ingest([{ op: 'addOrUpdate', type: 'Ticket', key: '6' }]);
    await expect.poll(() => seenBy(promoted)).toEqual(['1', '2', '3', '6']);
  },
  TIMEOUT_MS,
);
