import type { NodeRecordDocument } from '@trellis/contract/shapes/node-write.ts';
import { Problem } from '#base/problem.ts';
import { HAS_FILE } from '#graph/file-nodes.ts';
import { isSystemName } from '#graph/names.ts';
import type { Caller } from './caller.ts';
import { type NodeReads, NodeTurns } from './node-view.ts';

type EdgeCount = NodeRecordDocument['edges'][number];

/** Neighbours are looked at in groups of so many. */
const GROUP_SIZE = 256;

/**
 * A node with what hangs on it, as one caller sees it (docs/data.md). Throws `node_not_found`. A
 * node with very many edges takes several turns of the event loop.
 */
export async function describeNode(
  reads: NodeReads,
  caller: Caller,
  uid: string,
): Promise<NodeRecordDocument> {
  const { reader, access } = reads;
  const walk = new NodeTurns(reads, caller);
  const id = walk.view.find(uid);
  const node = id === undefined ? undefined : walk.view.node(id);
  if (id === undefined || node === undefined) {
    throw new Problem('node_not_found', 'There is no such node.');
  }
  const mayWrite = access.mayWrite(caller, node.Type);
  const isTold = mayWrite || walk.view.readsAllFields(id);
  const version = isTold ? (reader.version(id) ?? null) : null;
  const aliases = mayWrite ? { aliases: [...reader.aliases(id)] } : {};
  const files = reader.neighbors(id, 'out', HAS_FILE).length;
  const edges: EdgeCount[] = [];
  const types = reader.schema().edges.filter(({ type }) => !isSystemName(type));
  for (const { type } of types) {
    for (const direction of ['out', 'in'] as const) {
      if (walk.isSpent) await walk.next();
      const count = await countVisible(walk, reader.neighbors(id, direction, type));
      if (count > 0) edges.push({ edge: type, direction, count });
    }
  }
  return { node, version, mayWrite, ...aliases, edges, files };
}

async function countVisible(walk: NodeTurns, ids: readonly number[]): Promise<number> {
  let count = 0;
  for (let at = 0; at < ids.length; at += GROUP_SIZE) {
    if (at > 0 && walk.isSpent) await walk.next();
    count += walk.view.count(ids.slice(at, at + GROUP_SIZE));
  }
  return count;
}
