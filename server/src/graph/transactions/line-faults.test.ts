import { expect, it } from 'vitest';
import { randomUid } from '#base/uid.ts';
import { GraphWriter } from '../graph-writer.ts';
import type { CommitRequest } from '../operations.ts';
import { openTestGraph } from '../testing/test-graph.ts';

const keyed = (key: string): CommitRequest => ({
  operations: [{ op: 'addOrUpdate', type: 'Book', key }],
});
/** It needs a UID of the writer's. */
const UNKEYED: CommitRequest = { operations: [{ op: 'addOrUpdate', type: 'Book' }] };

it('a fault of the writer in one of a line refuses it and those behind it, and no others', async () => {
  await using graph = await openTestGraph();
  await graph.addSchema({ nodes: [{ type: 'Book', fields: { Pages: 'Int' } }] });
  let isFaulty = true;
  const newUid = (): Uint8Array => {
    if (isFaulty) throw new TypeError('a defect');
    return randomUid();
  };
  const writer = new GraphWriter(graph.state, graph.clock, { newUid });
  const outcomes = await writer.commitLine([keyed('a'), UNKEYED, keyed('c')]);
  expect(outcomes).toMatchObject([
    { sequence: expect.any(Number) },
    { problem: { code: 'write_conflict', details: { place: 'an operation' } } },
    { problem: { code: 'write_conflict', details: { place: 'behind' } } },
  ]);
  graph.reader.refresh();
  const ids = ['a', 'c'].map((key) => graph.reader.id({ type: 'Book', key }));
  expect(ids).toEqual([expect.any(Number), undefined]);
  // Alone it tells what it is.
  await expect(writer.commit(UNKEYED)).rejects.toThrow('a defect');
  isFaulty = false;
  const sequence = expect.any(Number);
  expect(await writer.commitLine([UNKEYED, keyed('c')])).toEqual([{ sequence }, { sequence }]);
});
