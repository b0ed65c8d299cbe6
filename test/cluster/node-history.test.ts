import { expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { nodeUid } from '@trellis/client/uid.ts';
import { Cluster } from './cluster.ts';
import { manifestOf } from './stopped-state.ts';

const SCHEMA = {
  nodes: [{ type: 'Note', key: 'Name', fields: { Text: 'String' } }],
  edges: [],
} as const;
/** More changes of one node than are kept. */
const CHANGES = 120;

test('a replica tells the history of a node as the primary does, of what it copied and of what it followed', async () => {
  await using cluster = await Cluster.create();
  const primary = await cluster.node('primary');
  const replica = await cluster.node('replica');
  const link = await cluster.link(primary);
  await primary.startPrimary();
  const token = await primary.http.signIn();
  const client = new TrellisClient({ baseUrl: link.address, token });
  await client.schema.put(SCHEMA);
  const change = (text: string) => ({
    op: 'addOrUpdate' as const,
    type: 'Note',
    key: 'n',
    fields: { Text: text },
  });
  for (let i = 0; i < CHANGES / 2; i++) await client.graph.ingest([change(`copied ${i}`)]);
  await replica.startReplica(link);
  let sequence = 0;
  for (let i = 0; i < CHANGES / 2; i++) {
    ({ sequence } = await client.graph.ingest([change(`followed ${i}`)]));
  }
  const path = `/api/node/${nodeUid('Note', 'n')}/history?take=1000`;
  const headers = { 'x-msk-min-sequence': String(sequence) };
  const here = await replica.http.send({ path, token, headers });
  const there = await primary.http.send({ path, token, headers });
  expect([here.status, here.json]).toEqual([200, there.json]);
  expect(here.json).toMatchObject({ total: 100 });
  expect(here.text).toContain('copied 20');
  expect(here.text).toContain('followed 59');
  await replica.process.stop();
  await primary.process.stop();
  expect(await manifestOf(replica.storage)).toEqual(await manifestOf(primary.storage));
});
