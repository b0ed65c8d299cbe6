import { expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { nodeUid } from '@trellis/client/uid.ts';
import { HttpClient } from '../support/http-client.ts';
import { says } from '../support/llm-server.ts';
import { LlmWorkspace } from '../support/llm-workspace.ts';
import { TrellisProcess } from '../support/trellis-process.ts';

const REPORT = 'Report';

test('an extraction goes on by itself after the process is killed, and reads no part twice', async () => {
  await using scene = await LlmWorkspace.start();
  await scene.use('openai-compatible');
  const { people, provider } = scene;
  const { server, storage, token } = people.workspace;
  const client = new TrellisClient({ baseUrl: server.url, token });
  await client.schema.put({
    nodes: [
      { type: REPORT, key: 'Number', fields: { Body: 'String' } },
      { type: 'Person', key: 'Name', fields: {} },
    ],
    edges: [],
  });
  const keys = ['1', '2', '3'];
  await client.graph.ingest(
    keys.map((key) => ({
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
    const node = { type: 'Person', key: quote, fields: {}, confidence: 1, quote };
    const turn = says(JSON.stringify({ nodes: [node], edges: [] }));
    return quote === 'Person 2' ? { ...turn, gate } : turn;
  };
  const { extraction } = await client.documents.extract({
    types: ['Person'],
    documents: {
      nodes: keys.map((key) => ({ type: REPORT, key })),
      files: false,
      fields: ['Body'],
    },
  });
  await provider.received(2);
  await client.documents.approve(extraction);
  await server.kill();

  gate = Promise.resolve();
  await using again = await TrellisProcess.start({ storage });
  const signedIn = await new HttpClient(again.url).signIn();
  const next = new TrellisClient({ baseUrl: again.url, token: signedIn });
  const run = () => next.documents.extraction(extraction);
  await expect.poll(async () => (await run()).state).toBe('completed');
  expect(asked).toEqual(['Person 1', 'Person 2', 'Person 2', 'Person 3']);
  expect(await run()).toMatchObject({ read: 3, proposals: 3 });
  const { total, items } = await next.documents.proposals(extraction);
  expect([total, items.map(({ state }) => state)]).toEqual([3, ['approved', 'open', 'open']]);

  // What was approved before still goes with its document.
  await next.nodes.delete({ uid: nodeUid(REPORT, '1') });
  const isThere = () =>
    next.nodes.get({ type: 'Person', key: 'Person 1' }).then(
      () => true,
      () => false,
    );
  await expect.poll(isThere).toBe(false);
});
