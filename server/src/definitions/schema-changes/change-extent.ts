import { SCHEMA_CHANGE_SCAN_NODES } from '#base/definition-limits.ts';
import { turns } from '#base/turns.ts';
import { losesValue } from '#graph/field-conversion.ts';
import { tagOf } from '#graph/field-types.ts';
import { isSystemName } from '#graph/names.ts';
import type { GraphReader } from '#graph/reader.ts';
import { NamesOfNow, type PlannedChange } from './change-plan.ts';

/** How much a change is about. */
export interface ChangeExtent {
  readonly nodes: number;
  readonly edges: number;
  readonly lossy: boolean;
  readonly lostValues: number;
  /** By the place of a change that drops a type: the edges of its nodes by their type. */
  readonly edgesOfDropped: ReadonlyMap<number, Readonly<Record<string, number>>>;
}

interface Measuring {
  readonly reader: GraphReader;
  readonly signal: AbortSignal;
  readonly onProgress: (nodes: number) => void;
}

/**
 * Counts what changes are about, and what nobody would see any more or otherwise. It reads the
 * nodes of types that are dropped, and of fields that are dropped or get another type, in turns of
 * the event loop.
 */
export async function measure(
  changes: readonly PlannedChange[],
  measuring: Measuring,
): Promise<ChangeExtent> {
  const { reader } = measuring;
  const names = new NamesOfNow();
  const [types, edgeTypes] = [new Set<string>(), new Set<string>()];
  const edgesOfDropped = new Map<number, Readonly<Record<string, number>>>();
  let lostValues = 0;
  let lossy = false;
  for (const [i, change] of changes.entries()) {
    const { type, edge, field } = placeOf(change);
    if (edge !== undefined) {
      const own = names.owner('edge', edge);
      edgeTypes.add(own);
      const inverse = reader.schema().edges.find((one) => one.type === own)?.inverse;
      if ('drop' in change) {
        if (field === undefined && inverse !== undefined) edgeTypes.add(inverse);
        lossy ||= reader.countOfEdgeType(own) > 0;
      }
    } else {
      const own = names.owner('type', type);
      types.add(own);
      if ('drop' in change && field === undefined) {
        const counts = await edgesOf(own, measuring);
        edgesOfDropped.set(i, Object.fromEntries(counts));
        lossy ||= reader.countOfType(own) > 0;
      } else if (!('rename' in change) && field !== undefined) {
        const to = 'retype' in change ? change.retype.to : undefined;
        lostValues += await countLost(own, names.field('type', own, field), to, measuring);
      }
    }
    if ('rename' in change) names.take(change.rename);
  }
  const dropped = [...edgesOfDropped.values()].flatMap((counts) =>
    // Who may see a node, and the like, is no edge for people.
    Object.entries(counts).filter(([name]) => !edgeTypes.has(name) && !isSystemName(name)),
  );
  return {
    nodes: sum([...types].map((type) => reader.countOfType(type))),
    edges:
      sum([...edgeTypes].map((edge) => reader.countOfEdgeType(edge))) +
      sum(dropped.map(([, count]) => count)),
    lossy: lossy || lostValues > 0,
    lostValues,
    edgesOfDropped,
  };
}

function placeOf(change: PlannedChange) {
  if ('rename' in change) return change.rename;
  return 'drop' in change ? change.drop : { ...change.retype, edge: undefined };
}

async function edgesOf(type: string, measuring: Measuring): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  await eachNode(type, measuring, (id) => measuring.reader.countEdgesOf(type, [id], counts));
  return counts;
}

/** How many values a field has that would be lost; without `to` all of them. */
async function countLost(
  type: string,
  field: string,
  to: string | undefined,
  measuring: Measuring,
): Promise<number> {
  const { reader } = measuring;
  const node = reader.schema().nodes.find((one) => one.type === type);
  const [from, into] = [tagOf(node?.fields[field]), tagOf(to)];
  let lost = 0;
  await eachNode(type, measuring, (id) => {
    const value = reader.field(id, field);
    if (value === undefined || from === undefined) return;
    if (into === undefined || losesValue(value, from, into)) lost++;
  });
  return lost;
}

async function eachNode(
  type: string,
  { reader, signal, onProgress }: Measuring,
  visit: (id: number) => void,
): Promise<void> {
  const walk = reader.walkType(type);
  for (;;) {
    const ids = walk.next(SCHEMA_CHANGE_SCAN_NODES);
    for (const id of ids) visit(id);
    onProgress(ids.length);
    if (ids.length < SCHEMA_CHANGE_SCAN_NODES) return;
    await turns.goOn('');
    signal.throwIfAborted();
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, one) => all + one, 0);
}
