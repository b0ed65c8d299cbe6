import { expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { TrellisProcess } from '../support/trellis-process.ts';
import { startWorkspace } from '../support/workspace.ts';

const TICKETS = 40;
const SIZES = 5;
const KILLS = 3;

/** Writes what it is called with, each time anew, so that it is seen how often. */
const CODE = `// trellis: on created Ticket
// trellis: on updated Ticket
export default async ({ body, graph }: Scope<{ key: string; after: { Size: number } }>) => {
  const key = Date.now() + ' ' + Math.random();
  await graph.addOrUpdate('Seen', key, { Of: body.key, Size: body.after.Size });
};`;

test('after kill -9 in the middle, what changes ask for runs, in order for each node', async () => {
  await using workspace = await startWorkspace();
  const { storage, token } = workspace;
  let server = workspace.server;
  const client = () => new TrellisClient({ baseUrl: server.url, token });
  await client().schema.put({
    nodes: [
      { type: 'Ticket', key: 'Number', fields: { Size: 'Int' } },
      { type: 'Seen', key: 'Key', fields: { Of: 'String', Size: 'Int' } },
    ],
    edges: [],
  });
  const { compiles } = await client().endpoints.create({ name: 'watch', code: CODE });
  expect(compiles).toBe(true);
  const seen = async () => (await client().nodes.query({ type: 'Seen', take: 1_000 })).items;
  for (let size = 0; size < SIZES; size++) {
    await client().graph.ingest(
      Array.from({ length: TICKETS }, (_, i) => {
        const key = `${i}`;
        return { op: 'addOrUpdate', type: 'Ticket', key, fields: { Size: size } } as const;
      }),
    );
  }
  await using servers = new AsyncDisposableStack();
  for (let kills = 1; kills <= KILLS; kills++) {
    const enough = (kills * TICKETS * SIZES) / (KILLS + 2);
    await expect
      .poll(async () => (await seen()).length, { timeout: 60_000, interval: 5 })
      .toBeGreaterThan(enough);
    await server.kill();
    server = servers.use(await TrellisProcess.start({ storage }));
  }
  const missing = async () => {
    const there = new Set((await seen()).map(({ Of, Size }) => `${Of} ${Size}`));
    return TICKETS * SIZES - there.size;
  };
  await expect.poll(missing).toBe(0);
  // What ran again did so in order, too: no size comes first after a later one.
  const all = (await seen()).toReversed();
  for (let i = 0; i < TICKETS; i++) {
    const sizes = all.filter(({ Of }) => Of === `${i}`).map(({ Size }) => Number(Size));
    expect([...new Set(sizes)]).toEqual(Array.from({ length: SIZES }, (_, size) => size));
  }
  expect((await client().triggers.list()).items).toMatchObject([{ missed: null, setAside: 0 }]);
});
