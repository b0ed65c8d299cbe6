import { DB } from '#store/databases.ts';
import { removeWithAll } from './delete-node.ts';
import { HAS_FILE } from './file-nodes.ts';
import { dropEdge, putEdge } from './merge-nodes.ts';
import { type KeptEdge, MERGE_TYPE, type MergeData, mergeDataValue } from './merge-record.ts';
import { type Halves, mergesOf } from './merged-halves.ts';
import type { Transactor } from './transactor.ts';
import { writeNode } from './write-node.ts';

/** A split: what is kept of the node that went, and the one that it leaves. */
interface Leaving {
  readonly of: MergeData;
  readonly from: number;
}

/**
 * Takes an edge of a node that is deleted from the one that got it, with the file at its end. The
 * UID of the one still leads to the other.
 */
export function dropMoved(t: Transactor, kept: KeptEdge, { from }: Leaving): void {
  const { isOut, edge, other, moved } = kept;
  const end = t.storedId(t.parseUid(other, 'merge'));
  if (end === 0 || !moved) return;
  const parts = partsOf(t, kept, { from, end });
  for (const { merge, known } of parts.ofOther) {
    keepEdges(t, merge, (edges) => edges.filter((one) => one !== known));
  }
  if (parts.isShared) return;
  const [source, target] = isOut ? [from, end] : [end, from];
  if (!dropEdge(t, source, edge, target)) return;
  if (t.registry.edgeTypeById(edge).name === HAS_FILE) removeWithAll(t, end);
}

/** Gives an edge back to a node that has come back. */
export function returnEdge(t: Transactor, kept: KeptEdge, { of, from }: Leaving): void {
  const { isOut, edge, other, moved } = kept;
  const to = of.id;
  const end = t.storedId(t.parseUid(other, 'merge'));
  if (end === 0) return;
  const bytes = Buffer.from(kept.record, 'base64');
  const put = (record: Uint8Array): void => {
    const [source, target] = isOut ? [to, end] : [end, to];
    // It has come back already where two that it led to are one by now.
    if (t.state.view.has(DB.out, t.state.keys.out(source, edge, target))) return;
    putEdge(t, { from: source, edge, to: target, record });
  };
  // The two had an edge between them, which no node has while they are one.
  if (end === from) return put(bytes);
  const endNow = end === to ? from : end;
  const [source, target] = isOut ? [from, endNow] : [endNow, from];
  const stored = t.state.view.get(DB.out, t.state.keys.out(source, edge, target));
  if (stored === undefined) return;
  const now = Uint8Array.from(stored);
  const parts = partsOf(t, kept, { from, end });
  const isAlone = moved && !parts.isShared;
  if (isAlone) dropEdge(t, source, edge, target);
  put(isAlone ? now : bytes);
  const isOneOfTwo = of.edges.some(
    (one) =>
      one.isOut === isOut &&
      one.edge === edge &&
      one.other !== other &&
      t.storedId(t.parseUid(one.other, 'merge')) === end,
  );
  for (const { merge, known } of parts.ofOther) {
    const own = { ...known, other: t.record(to).uid, moved: !isOneOfTwo };
    keepEdges(t, merge, (edges) => [...edges.filter((one) => !moved || one !== known), own]);
  }
}

interface Parts {
  /** Merges that made the node at the end of the named one, each with what it knows of the edge. */
  readonly ofOther: readonly { readonly merge: Halves; readonly known: KeptEdge }[];
  /** Whether another part of that node has an edge like it. */
  readonly isShared: boolean;
}

/**
 * The node at the other end of an edge may be a part of another one by now, by a merge that was
 * made later, and knows the edge as one of the node that is split. It is told, so that merges of
 * both ends may be split in any order.
 */
function partsOf(
  t: Transactor,
  { isOut, edge, other }: KeptEdge,
  { from, end }: { readonly from: number; readonly end: number },
): Parts {
  if (end === from || t.record(end).mergedUids.length === 0)
    return { ofOther: [], isShared: false };
  const { uid } = t.record(from);
  const merges = mergesOf(t, end).flatMap((merge) => {
    const known = merge.data.edges.find(
      (one) => one.isOut !== isOut && one.edge === edge && one.other === uid,
    );
    return known === undefined ? [] : [{ merge, known }];
  });
  const above = new Set<string>([other]);
  const ofOther = merges.filter(({ merge: { absorbed, survivor } }) => {
    if (!above.has(absorbed)) return false;
    above.add(survivor);
    return true;
  });
  const isShared = merges.some((one) => !ofOther.includes(one) || !one.known.moved);
  return { ofOther, isShared };
}

function keepEdges(
  t: Transactor,
  { id, data }: Halves,
  change: (edges: readonly KeptEdge[]) => readonly KeptEdge[],
): void {
  const fields = { Data: mergeDataValue({ ...data, edges: change(data.edges) }) };
  writeNode(t, { op: 'update', type: MERGE_TYPE, key: id, fields });
}
