import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { must } from '#base/assert.ts';
import { ANY_EDGE } from '../adjacency.ts';
import type { Direction } from '../adjacency.ts';
import { isListTag, scalarOf } from '../field-types.ts';
import type { EdgeObject } from '../reader.ts';
import { packedType } from './best-connected.ts';
import { compareTyped, identity } from './comparison.ts';
import type { Query, QueryEnd } from './plan.ts';
import type { IdPieces, QueryContext } from './query-context.ts';
import { shortestPaths } from './shortest-paths.ts';
import type { GraphPath, PathEnd } from './shortest-paths.ts';
import type { StartPlan } from './start-plan.ts';
import { type Group, groupsOf } from './value-groups.ts';

type End<Name extends QueryEnd['end']> = Extract<QueryEnd, { end: Name }>;

/**
 * Prepares the end of a query: checks its names, and answers how to finish. Nothing is read before
 * that is called.
 */
export function prepareEnd(
  context: QueryContext,
  query: { readonly steps: Query['steps']; readonly end: Exclude<QueryEnd, { end: 'explain' }> },
): (pieces: IdPieces, plan: StartPlan | undefined) => unknown {
  const { end } = query;
  switch (end.end) {
    case 'nodes':
      return nodesEnd(context, end);
    case 'uids':
      return (pieces) => mapIds(context, pieces, (id) => must(context.reader.uid(id), 'a UID'));
    case 'count':
      return (pieces, plan) => plan?.count?.() ?? countIds(context, pieces, query);
    case 'scored':
      return (pieces) =>
        mapIds(context, pieces, (id) => ({
          node: nodeOf(context, id),
          score: context.scoreOf(id) ?? 1,
        }));
    case 'edges':
      return edgesEnd(context, end);
    case 'summary':
      return (pieces, plan) => countOfType(plan) ?? summarize(context, pieces);
    case 'neighborsSummary':
      return (pieces, plan) => summarizeNeighbors(context, pieces, end.direction ?? 'out', plan);
    case 'groupBy':
      return groupByEnd(context, end);
    case 'shortestPath':
      return pathEnd(context, end, (paths) => paths[0] ?? null);
    case 'shortestPaths':
      return pathEnd(context, end, (paths) => paths);
  }
}

function nodeOf(context: QueryContext, id: number): NodeObject {
  return must(context.node(id), 'a node of the set');
}

function mapIds<T>(context: QueryContext, pieces: IdPieces, map: (id: number) => T): T[] {
  const results: T[] = [];
  for (const piece of pieces) {
    context.checkpoint();
    for (let i = 0; i < piece.length; i++) results.push(map(piece.at(i)));
  }
  return results;
}

/** With `fields`, what every node shows stays, and of its own fields those. */
function nodesEnd(context: QueryContext, end: End<'nodes'>): (pieces: IdPieces) => NodeObject[] {
  const { fields } = end;
  if (fields === undefined) return (pieces) => mapIds(context, pieces, (id) => nodeOf(context, id));
  fields.forEach((name, i) => context.fieldTags(name, undefined, `end.fields[${i}]`));
  return (pieces) =>
    mapIds(context, pieces, (id) => {
      const node = nodeOf(context, id);
      const { UID, Type, Timestamp, Id } = node;
      const limited: Record<string, unknown> = {};
      for (const name of fields) if (Object.hasOwn(node, name)) limited[name] = node[name];
      return { UID, Type, Timestamp, ...(Id === undefined ? {} : { Id }), ...limited };
    });
}

function countIds(
  context: QueryContext,
  pieces: IdPieces,
  { steps }: Pick<Query, 'steps'>,
): number {
  const [only] = steps;
  if (steps.length === 1 && only?.op === 'startAt' && only.keys === undefined) {
    const hidden = context.visibility?.hiddenOfType(only.type) ?? 0;
    return context.reader.countOfType(only.type) - hidden;
  }
  let count = 0;
  for (const piece of pieces) {
    context.checkpoint();
    count += piece.length;
  }
  return count;
}

function edgesEnd(context: QueryContext, end: End<'edges'>): (pieces: IdPieces) => EdgeObject[] {
  const edge = end.edge === undefined ? ANY_EDGE : context.edgeType(end.edge, 'end.edge').id;
  const { direction = 'out', skip = 0, take = Infinity } = end;
  return (pieces) => {
    const objects: EdgeObject[] = [];
    let left = skip;
    for (const piece of pieces) {
      context.checkpoint();
      for (let n = 0; n < piece.length; n++) {
        if (objects.length >= take) return objects;
        const id = piece.at(n);
        const { values, edges, length } = context.neighbors(id, direction, edge);
        const last = Math.min(length, left + take - objects.length);
        for (let i = left; i < last; i++) {
          const [from, to] = direction === 'out' ? [id, values[i]!] : [values[i]!, id];
          objects.push(must(context.reader.edge(from, edges[i]!, to), 'an edge'));
        }
        left = Math.max(0, left - length);
      }
    }
    return objects;
  };
}

/** The one type of a set that an index counts, with its count. */
function countOfType(plan: StartPlan | undefined): Record<string, number> | undefined {
  const count = plan?.count?.();
  if (plan === undefined || count === undefined) return undefined;
  return count === 0 ? {} : { [plan.type.name]: count };
}

function summarize(context: QueryContext, pieces: IdPieces): Record<string, number> {
  const counts = new Map<number, number>();
  for (const type of mapIds(context, pieces, (id) => context.typeId(id))) {
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return Object.fromEntries(
    [...counts].map(([type, count]) => [context.registry.nodeTypeById(type).name, count]),
  );
}

/** How many edges of each type the nodes have, in the order of the schema. */
function summarizeNeighbors(
  context: QueryContext,
  pieces: IdPieces,
  direction: Direction,
  plan: StartPlan | undefined,
): Record<string, number> {
  const counts: number[] = [];
  const add = (id: number): void => {
    const { edges, length } = context.neighbors(id, direction, ANY_EDGE);
    for (let n = 0; n < length; n++) counts[edges[n]!] = (counts[edges[n]!] ?? 0) + 1;
  };
  const visit = plan?.isWholeType === true ? packedType(context, plan.type) : undefined;
  if (visit !== undefined) {
    visit((id, degree) => {
      if (degree > 0) add(id);
    });
  } else {
    for (const piece of pieces) {
      context.checkpoint();
      for (let i = 0; i < piece.length; i++) add(piece.at(i));
    }
  }
  const entries = counts.map((count, edge) => [context.registry.edgeTypeById(edge).name, count]);
  return Object.fromEntries(entries.filter((entry) => entry !== undefined));
}

/**
 * Nodes without the field are in no group; a list puts its node into the group of each different
 * item.
 */
function groupByEnd(
  context: QueryContext,
  end: End<'groupBy'>,
): (pieces: IdPieces, plan: StartPlan | undefined) => { value: unknown; count: number }[] {
  context.fieldTags(end.field, undefined, 'end.field');
  return (pieces, plan) => {
    const counted =
      plan?.isWholeType === true ? groupsOf(context, plan.type, end.field) : undefined;
    if (counted !== undefined) return inGroupOrder(counted);
    if (plan?.isWholeType === true && plan.type.byName.has(end.field)) {
      const { name: type } = plan.type;
      const why = `every ${type} is read to group by ${end.field}; an index answers it.`;
      context.advice.push({ type, field: end.field, why });
    }
    const groups = new Map<unknown, Group>();
    for (const piece of pieces) {
      context.checkpoint();
      for (let i = 0; i < piece.length; i++) {
        const value = context.read(piece.at(i), end.field);
        if (value !== undefined) countValue(groups, value, context.tag);
      }
    }
    return inGroupOrder([...groups.values()]);
  };
}

function inGroupOrder(groups: readonly Group[]): { value: unknown; count: number }[] {
  return groups
    .toSorted((a, b) => b.count - a.count || compareTyped(a, b))
    .map(({ value, count }) => ({ value, count }));
}

function countValue(groups: Map<unknown, Group>, value: unknown, tag: number): void {
  const scalar = scalarOf(tag);
  const items: readonly unknown[] = isListTag(tag) && Array.isArray(value) ? value : [value];
  const firsts = new Map<unknown, unknown>();
  for (const item of items) {
    const name = identity(scalar, item);
    if (!firsts.has(name)) firsts.set(name, item);
  }
  for (const [name, item] of firsts) {
    const group = groups.get(name);
    if (group !== undefined) group.count++;
    else groups.set(name, { value: item, scalar, count: 1 });
  }
}

function pathEnd(
  context: QueryContext,
  end: PathEnd,
  answer: (paths: readonly GraphPath[]) => unknown,
): (pieces: IdPieces) => unknown {
  const edges = end.edges?.map((edge, i) => context.edgeType(edge, `end.edges[${i}]`).id);
  return (pieces) => {
    for (const piece of pieces) {
      if (piece.length === 0) continue;
      return answer(shortestPaths(context, piece.at(0), end, edges ?? [ANY_EDGE]));
    }
    return answer([]);
  };
}
