import { must } from '#base/assert.ts';
import { DB } from '#store/databases.ts';
import { encodeRecord, type KeptEdge, type StoredEdge } from './merge-record.ts';
import { mergesOf } from './merged-halves.ts';
import { openRecord } from './node-record.ts';
import type { Transactor } from './transactor.ts';

/** What one merge keeps of an edge. */
interface Kept {
  readonly merge: number;
  readonly edge: KeptEdge;
  /** Whether it led from one of the two nodes to the other: then no node has it. */
  readonly isLost: boolean;
}

/**
 * The edges of the records that merged nodes were made of. An edge of a merged node stands for one
 * or more of them. For which is not stored with it, but follows from the merges of both of its
 * ends: each keeps the edges of the node that went, and those of the node that stayed which were
 * like one of them. So merges of both ends can be split in any order.
 *
 * It reads what there is when it is asked first: make another one after a merge or a split.
 */
export class MergedEdges {
  readonly #t: Transactor;
  readonly #kept = new Map<number, ReadonlyMap<string, readonly Kept[]>>();
  readonly #ids = new Map<string, number>();

  constructor(t: Transactor) {
    this.#t = t;
  }

  /** The stored edge that stands for one of records; undefined when an end of it is gone. */
  placeOf({ edge, from, to }: Omit<KeptEdge, 'record'>): StoredEdge | undefined {
    const [source, target] = [this.#idOf(from), this.#idOf(to)];
    return source === 0 || target === 0 ? undefined : { from: source, edge, to: target };
  }

  /** What a stored edge stands for, and first the one whose fields it has. */
  recordsOf(stored: StoredEdge): KeptEdge[] {
    const { from, edge, to } = stored;
    const record = encodeRecord(must(bytesOf(this.#t, stored), 'the record of an edge'));
    const place = nameOf(stored);
    // What a merge keeps first of a place is what was stored there when it was made.
    const kept = [...new Set([from, to])]
      .flatMap((id) => this.#keptOf(id).get(place) ?? [])
      .toSorted((a, b) => b.merge - a.merge);
    const found = new Map<string, KeptEdge>();
    const lost = new Set<string>();
    for (const { edge: one, isLost } of kept) {
      const name = nameOf(one);
      if (isLost) lost.add(name);
      else if (!found.has(name)) found.set(name, one);
    }
    const all = [...found].filter(([name]) => !lost.has(name)).map(([, one]) => one);
    const own = { edge, from: this.#uidOf(from), to: this.#uidOf(to), record };
    const first =
      all.find((one) => one.record === record) ??
      // Its fields were changed since: they are of the node that stays with it.
      all.find((one) => nameOf(one) === nameOf(own)) ??
      all[0] ??
      own;
    return [{ ...first, record }, ...all.filter((one) => one !== first)];
  }

  /** What the merges of a node keep, by the place where it is stored now. */
  #keptOf(id: number): ReadonlyMap<string, readonly Kept[]> {
    const known = this.#kept.get(id);
    if (known !== undefined) return known;
    const all = new Map<string, Kept[]>();
    this.#kept.set(id, all);
    if (this.#t.record(id).mergedUids.length === 0) return all;
    for (const { number: merge, data } of mergesOf(this.#t, id)) {
      const [node, before] = [uidsOf(data.node), uidsOf(data.before)];
      for (const edge of data.edges) {
        const place = this.placeOf(edge);
        if (place === undefined) continue;
        const name = nameOf(place);
        const there = all.get(name) ?? [];
        all.set(name, there);
        there.push({ merge, edge, isLost: isBetween(edge, node, before) });
      }
    }
    return all;
  }

  #idOf(uid: string): number {
    let id = this.#ids.get(uid);
    if (id === undefined) {
      id = this.#t.storedId(this.#t.parseUid(uid, 'merge'));
      this.#ids.set(uid, id);
    }
    return id;
  }

  #uidOf(id: number): string {
    return this.#t.record(id).uid;
  }
}

/** The UIDs of a node, by its record in base64. */
export function uidsOf(record: string): ReadonlySet<string> {
  const { uid, mergedUids } = openRecord(record);
  return new Set([uid, ...mergedUids]);
}

/** Whether an edge leads from one of two nodes to the other. */
export function isBetween(
  { from, to }: Pick<KeptEdge, 'from' | 'to'>,
  a: ReadonlySet<string>,
  b: ReadonlySet<string>,
): boolean {
  return (a.has(from) && b.has(to)) || (b.has(from) && a.has(to));
}

export function bytesOf(t: Transactor, { from, edge, to }: StoredEdge): Uint8Array | undefined {
  const bytes = t.state.view.get(DB.out, t.state.keys.out(from, edge, to));
  return bytes === undefined ? undefined : Uint8Array.from(bytes);
}

export function nameOf({ from, edge, to }: StoredEdge | Omit<KeptEdge, 'record'>): string {
  return `${from} ${edge} ${to}`;
}
