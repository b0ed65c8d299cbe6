import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { TrellisProcess } from '../support/trellis-process.ts';
import { startWorkspace } from '../support/workspace.ts';

const ROWS = 20_000;

test('after kill -9 in the middle of a run, the next one brings what is left', async () => {
  const rows = Array.from({ length: ROWS }, (_, row) => `${row},name ${row}\n`);
  const source = createServer((_request, response) => response.end(`Id,Name\n${rows.join('')}`));
  source.listen(0, '127.0.0.1');
  await once(source, 'listening');
  await using workspace = await startWorkspace();
  const { storage, token } = workspace;
  let server = workspace.server;
  const client = () => new TrellisClient({ baseUrl: server.url, token });
  const origin = `http://127.0.0.1:${(source.address() as AddressInfo).port}`;
  await client().workspace.putSettings({ fetchAllowList: [origin] });
  const table = { kind: 'csv', url: `${origin}/a.csv`, type: 'Row', key: 'Id' } as const;
  const { id } = await client().connectors.create({ name: 'table', source: table });
  await client().connectors.run(id, {});
  const brought = async () => {
    const { nodes } = await client().schema.get();
    const isThere = nodes.some(({ type }) => type === 'Row');
    return isThere ? (await client().nodes.query({ type: 'Row', take: 1 })).total : 0;
  };
  await expect.poll(brought).toBeGreaterThan(0);
  await server.kill();
  await using servers = new AsyncDisposableStack();
  server = servers.use(await TrellisProcess.start({ storage }));
  const { jobId, lastRun } = await client().connectors.get(id);
  expect([jobId, lastRun?.state]).toEqual([null, 'interrupted']);
  const before = await brought();
  expect(before).toBeLessThan(ROWS);
  // The process of the run that was killed gives up what it remembers soon, as its server is gone.
  await expect
    .poll(async () => {
      const { jobId: job, lastRun: run } = await client().connectors.get(id);
      if (job !== null) return 'running';
      if (run?.state !== 'succeeded') await client().connectors.run(id, {});
      return run?.state === 'failed' ? run.error?.message : run?.state;
    })
    .toBe('succeeded');
  expect(await brought()).toBe(ROWS);
  const report = (await client().connectors.get(id)).lastRun?.report;
  // What the run before had committed was not sent again, but for the commit that was cut off.
  expect(report?.rows).toBe(ROWS);
  expect(report?.unchanged).toBeGreaterThanOrEqual(Math.max(0, before - 2_000));
  source.close();
});
