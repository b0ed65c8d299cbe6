import type { CommitPort, WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';

export interface SampleParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly signal: AbortSignal;
  readonly report: (done: number, total: number) => void;
}

export interface Sample {
  readonly kept: number;
  readonly deleted: number;
}

const NODES_AT_ONCE = 1_000;
/** Further neighbours of a node are reached from elsewhere, or not at all. */
const NEIGHBOURS_MAX = 1_000;
/** For each node that stays, so many are looked at for one with edges. */
const LOOKED_AT = 20;

/**
 * Deletes all nodes but `nodesMax` of each type, with their edges. What stays hangs together where
 * it can: from the newest linked node of a type it goes on along edges.
 */
export async function keepSample(parts: SampleParts, nodesMax: number): Promise<Sample> {
  const { reader, commits, signal, report } = parts;
  reader.refresh();
  const names = reader.schema().nodes.map(({ type }) => type);
  const types = names.filter((type) => !type.startsWith('_'));
  const kept = chosen(reader, types, nodesMax);
  const total = types.reduce((sum, type) => sum + reader.countOfType(type), 0) - kept.size;
  let deleted = 0;
  for (const type of types) {
    const walk = reader.walkType(type);
    for (let isEnd = false; !isEnd;) {
      signal.throwIfAborted();
      const ids = walk.next(NODES_AT_ONCE);
      isEnd = ids.length < NODES_AT_ONCE;
      const operations = ids.flatMap((id): WriterOperation[] => {
        const uid = kept.has(id) ? undefined : reader.uid(id);
        return uid === undefined ? [] : [{ op: 'delete', uid }];
      });
      if (operations.length > 0) await commits.commit({ system: true, operations });
      reader.refresh();
      deleted += operations.length;
      report(deleted, total);
    }
  }
  return { kept: kept.size, deleted };
}

function chosen(
  reader: GraphReader,
  types: readonly string[],
  nodesMax: number,
): ReadonlySet<number> {
  const kept = new Set<number>();
  const room = new Map(types.map((type) => [type, nodesMax]));
  const take = (id: number): boolean => {
    const type = kept.has(id) ? undefined : reader.typeOf(id);
    const left = type === undefined ? 0 : (room.get(type) ?? 0);
    if (type === undefined || left === 0) return false;
    room.set(type, left - 1);
    kept.add(id);
    return true;
  };
  for (const type of types) {
    const newest = reader.idsOfType(type, { take: nodesMax * LOOKED_AT });
    const isLinked = (id: number): boolean => reader.degree(id) > 0;
    for (const first of [...newest.filter(isLinked), ...newest]) {
      const waiting = take(first) ? [first] : [];
      for (const id of waiting) {
        const around = [...reader.neighbors(id, 'out'), ...reader.neighbors(id, 'in')];
        waiting.push(...around.slice(0, NEIGHBOURS_MAX).filter(take));
      }
    }
  }
  return kept;
}
