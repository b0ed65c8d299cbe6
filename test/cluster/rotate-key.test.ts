import { expect, test } from 'vitest';
import { runTrellis } from '../support/command-line.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';
import { Cluster, type ClusterNode } from './cluster.ts';

const OLD = { MSK_GRAPH_MASTER_KEY: 'the former master key, which is long enough' };
const NEW = { MSK_GRAPH_MASTER_KEY: 'the master key to come, which is long enough' };

test(
  'a primary and its replica, both rotated, go on without a copy',
  { timeout: 180_000 },
  async () => {
    await using cluster = await Cluster.create();
    const primary = await cluster.node('primary');
    const replica = await cluster.node('replica');
    const link = await cluster.link(primary);
    await primary.startPrimary(OLD);
    await replica.startReplica(link, OLD);
    const token = await primary.http.signIn();
    const put = (path: string, body: object) =>
      primary.http.send({ method: 'PUT', path, body, token });
    const written = await put('/api/schema', LIBRARY_SCHEMA);
    expect(written.status).toBe(200);
    const sequence = written.headers.get('x-msk-sequence') ?? '';
    const headers = { 'x-msk-min-sequence': sequence };
    expect((await replica.http.send({ path: '/api/schema', token, headers })).status).toBe(200);
    for (const node of [primary, replica]) await node.process.stop();
    for (const node of [primary, replica]) await rotate(cluster, node);

    await primary.startPrimary(NEW);
    const { mark } = await replica.startReplica(link, NEW);
    expect(mark).toBeGreaterThan(0);
    expect(replica.process.log).not.toContain('copies the whole graph');
    const more = {
      ...LIBRARY_SCHEMA,
      nodes: [...LIBRARY_SCHEMA.nodes, { type: 'Shelf', key: 'Name', fields: {} }],
    };
    const again = await put('/api/schema', more);
    expect(again.status, again.text).toBe(200);
    const min = { 'x-msk-min-sequence': again.headers.get('x-msk-sequence') ?? '' };
    const read = await replica.http.send({ path: '/api/schema', token, headers: min });
    expect(read.text).toContain('Shelf');
  },
);

async function rotate(cluster: Cluster, node: ClusterNode): Promise<void> {
  const { code, stderr } = await runTrellis(['storage', 'rotate-key'], {
    home: cluster.folder,
    server: node.address,
    env: {
      ...OLD,
      MSK_GRAPH_STORAGE: node.storage,
      TRELLIS_NEW_MASTER_KEY: NEW.MSK_GRAPH_MASTER_KEY,
    },
  });
  expect(code, stderr).toBe(0);
}
