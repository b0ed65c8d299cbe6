import { expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { nodeUid } from '@trellis/client/uid.ts';
import { runTrellis } from '../support/command-line.ts';
import { Cluster, type ClusterNode } from './cluster.ts';

const TIMEOUT_MS = 600_000;
const STAYS = { type: 'Person', key: '1' } as const;
const GOES = { type: 'Person', key: '2' } as const;

test(
  'replicas lead to a merged node as the primary does, and one that is promoted splits it',
  async () => {
    await using cluster = await Cluster.create();
    const primary = await cluster.node('primary');
    const replica = await cluster.node('replica');
    await primary.startPrimary();
    await replica.startReplica(await cluster.link(primary));
    const token = await primary.http.signIn();
    const clientOf = (node: ClusterNode) => new TrellisClient({ baseUrl: node.address, token });
    const first = clientOf(primary);
    const fields = { Name: 'String', Mail: 'String' } as const;
    const person = { type: 'Person', key: 'Number', fields };
    await first.schema.put({ nodes: [person], edges: [] });
    await first.graph.ingest([
      { op: 'addOrUpdate', ...STAYS, fields: { Name: 'Ann' } },
      { op: 'addOrUpdate', ...GOES, fields: { Name: 'Anne', Mail: 'ann@example.com' } },
    ]);
    const { id, node } = await first.duplicates.merge({ into: STAYS, node: GOES });
    const uid = nodeUid(GOES.type, GOES.key);
    const seen = async (at: ClusterNode): Promise<unknown> =>
      (await at.http.send({ path: `/api/node/${uid}`, token })).json;
    await expect.poll(() => seen(replica)).toEqual(node);
    const server = primary.address;
    const verified = await runTrellis(['replica', 'verify', '--json'], {
      home: cluster.folder,
      server,
      token,
    });
    expect(JSON.parse(verified.stdout)).toMatchObject({ isEqual: true });

    await primary.process.kill();
    await replica.process.stop();
    await replica.startPrimary();
    expect(await seen(replica)).toEqual(node);
    const promoted = clientOf(replica);
    const split = await promoted.duplicates.split(id);
    expect(split.node).toMatchObject({ UID: uid, Name: 'Anne' });
    expect(split.into).not.toHaveProperty('Mail');
  },
  TIMEOUT_MS,
);
