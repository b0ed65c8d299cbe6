import { expect } from 'vitest';
import type { ClusterNode } from './cluster.ts';
import { readItems, type Workload } from './workload.ts';

const CATCH_UP_MS = 20_000;

/** Stops the workload and waits until a replica has all of it: no acknowledged commit is missing there. */
export async function expectCaughtUp(
  { http }: Pick<ClusterNode, 'http'>,
  workload: Workload,
  token: string,
): Promise<void> {
  const acknowledged = await workload.stop();
  expect(acknowledged.length).toBeGreaterThan(0);
  const headers = { 'x-msk-min-sequence': String(workload.sequence) };
  const call = { path: '/api/schema', token, headers };
  await expect.poll(async () => (await http.send(call)).status, { timeout: CATCH_UP_MS }).toBe(200);
  const items = await readItems(http, token);
  const missing = acknowledged.filter(({ item }) => !items.has(item));
  expect(missing, 'missing on a replica that has caught up').toEqual([]);
}
