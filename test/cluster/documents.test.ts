import { expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { finds, person } from '../support/document-scene.ts';
import { LlmServer } from '../support/llm-server.ts';
import { Cluster, type ClusterNode } from './cluster.ts';

const TIMEOUT_MS = 600_000;
const KEYS = ['1', '2', '3'] as const;
const REPORT = 'Report';

test(
  'a promoted replica reads on where the primary was, and takes back what that one wrote',
  async () => {
    await using provider = await LlmServer.start();
    await using cluster = await Cluster.create();
    const primary = await cluster.node('primary');
    const replica = await cluster.node('replica');
    await primary.startPrimary();
    await replica.startReplica(await cluster.link(primary));
    const token = await primary.http.signIn();
    const clientOf = (node: ClusterNode) => new TrellisClient({ baseUrl: node.address, token });
    const first = clientOf(primary);
    const chat = {
      provider: 'openai-compatible',
      baseUrl: provider.url,
      model: 'large',
      apiKey: 'the-key-of-the-provider',
    };
    const set = { method: 'PUT', path: '/api/chatai/providers', body: { chat }, token };
    expect((await primary.http.send(set)).status).toBe(200);
    await first.schema.put({
      nodes: [
        { type: REPORT, key: 'Number', fields: { Body: 'String' } },
        { type: 'Person', key: 'Name', fields: {} },
      ],
      edges: [],
    });
    await first.graph.ingest(
      KEYS.map((key) => ({
        op: 'addOrUpdate',
        type: REPORT,
        key,
        fields: { Body: `Person ${key} was there.` },
      })),
    );
    const asked: string[] = [];
    let gate = new Promise<void>(() => {});
    provider.script.turn = ({ body }) => {
      const [quote = ''] = /Person \d/.exec(JSON.stringify(body)) ?? [];
      asked.push(quote);
      const found = finds([person(quote, {}, quote, 1)]);
      return quote === 'Person 2' ? { ...found, gate } : found;
    };
    const nodes = KEYS.map((key) => ({ type: REPORT, key }));
    const { extraction } = await first.documents.extract({
      types: ['Person'],
      documents: { nodes, files: false, fields: ['Body'] },
    });
    await provider.received(2);
    expect(await first.documents.approve(extraction)).toMatchObject({ approved: 1 });
    const { headers } = await primary.http.send({ path: '/api/schema', token });
    const upTo = { 'x-msk-min-sequence': headers.get('x-msk-sequence') ?? '' };
    await expect
      .poll(
        async () => (await replica.http.send({ path: '/api/schema', token, headers: upTo })).status,
      )
      .toBe(200);

    await primary.process.kill();
    gate = Promise.resolve();
    await replica.process.stop();
    await replica.startPrimary();
    const next = clientOf(replica);
    await expect
      .poll(async () => (await next.documents.extraction(extraction)).state)
      .toBe('completed');
    expect(asked).toEqual(['Person 1', 'Person 2', 'Person 2', 'Person 3']);
    const { items } = await next.documents.proposals(extraction);
    expect(items.map(({ state }) => state)).toEqual(['approved', 'open', 'open']);

    await next.nodes.delete({ type: REPORT, key: '1' });
    const people = async () => (await next.nodes.query({ type: 'Person', take: 9 })).items;
    await expect.poll(people).toEqual([]);
  },
  TIMEOUT_MS,
);
