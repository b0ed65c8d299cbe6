import { expect, it } from 'vitest';
import { NODES_AT_ONE_COMMIT } from '#base/limits.ts';
import { turns } from '#base/turns.ts';
import { openTestGraph } from '#graph/testing/test-graph.ts';
import { AccessIndex } from './access-index.ts';
import { serverCaller } from './caller.ts';
import { NodeTurns } from './node-view.ts';

const ADMIN = serverCaller('t');

it('reads a page at one commit, however much others have used of the turn', async () => {
  await using graph = await openTestGraph();
  await graph.writer.addSystemSchema();
  const reads = { reader: graph.reader, access: new AccessIndex(graph.reader) };
  const walk = new NodeTurns(reads, ADMIN);
  while (!turns.isSpent);
  const firstPage = Array.from({ length: NODES_AT_ONE_COMMIT }, () => walk.isSpent);
  expect(firstPage).not.toContain(true);
  expect(walk.isSpent).toBe(true);
  await walk.next();
  while (!turns.isSpent);
  const { view } = walk;
  for (let node = 1; node < NODES_AT_ONE_COMMIT; node++) expect(walk.isSpent).toBe(false);
  expect([walk.isSpent, walk.view === view]).toEqual([true, true]);
});
