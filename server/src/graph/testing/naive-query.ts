import type { Query, QueryEnd, QueryStep, Similarity } from '../query/plan.ts';
import { EDGE_ORDER, PlainView, plainUid } from './plain-graph.ts';
import type { Hidden, PlainGraph } from './plain-graph.ts';

/** Answers queries as their documentation says, without regard for speed. */
export class NaiveQuery {
  readonly #graph: PlainView;

  constructor(graph: PlainGraph, hidden: Hidden | undefined) {
    this.#graph = new PlainView(graph, hidden);
  }

  run({ steps, end }: Query): unknown {
    return this.#end(this.#set(steps), end);
  }

  #set(steps: readonly QueryStep[]): number[] {
    let ids: number[] = [];
    for (const step of steps) ids = [...new Set(this.#step(ids, step))];
    return ids;
  }

  #step(ids: number[], step: QueryStep): number[] {
    switch (step.op) {
      case 'startAt':
        return step.keys === undefined
          ? this.#graph.ofType(step.type)
          : this.#graph.lookUp(
              step.keys.map((key) => plainUid({ ...ANY_NODE, type: step.type, key })),
            );
      case 'startAtUids':
        return this.#graph.lookUp(step.uids);
      case 'startWhere': {
        const { type, field, compare, value } = step;
        const found = this.#graph
          .ofType(type)
          .filter((id) => this.#graph.meets(id, field, compare, value));
        if (compare !== 'in' || !['Id', 'K'].includes(field)) return found;
        const wanted = value as unknown[];
        return found.toSorted(
          (a, b) => wanted.indexOf(this.#graph.key(a)) - wanted.indexOf(this.#graph.key(b)),
        );
      }
      case 'startNear':
        // The points lie on the equator, where degrees of longitude and latitude are equally long.
        return this.#graph
          .ofType(step.type)
          .map((id) => ({
            id,
            at: this.#graph.read(id, step.field) as { lon: number } | undefined,
          }))
          .flatMap(({ id, at }) =>
            at ? [{ id, km: Math.abs(at.lon - step.point.lon) * 111.195 }] : [],
          )
          .filter(({ km }) => km <= step.km)
          .toSorted((a, b) => a.km - b.km)
          .map(({ id }) => id);
      case 'startSearch':
        throw new Error('a plain graph has no search');
      case 'startAtVectors':
        return this.#similar(Object.values(step.vectors).map(Number), [], step);
      case 'startAtSimilar':
        return this.#similarTo(this.#graph.lookUp(step.uids), step);
      case 'similar':
        return this.#similarTo(ids, step);
      case 'out':
      case 'in':
        return this.#graph.neighbors(ids, step.op, step.edge ? [step.edge] : EDGE_ORDER, step.type);
      case 'outMany': {
        const reached: number[] = [];
        let frontier = ids;
        for (let hop = 0; hop < step.hops; hop++) {
          const next = frontier.flatMap((id) =>
            (step.edges ?? [undefined]).flatMap((edge) =>
              this.#graph.neighbors([id], 'out', edge ? [edge] : EDGE_ORDER, undefined),
            ),
          );
          const types = step.types;
          frontier = [...new Set(next)].filter(
            (id) => types?.includes(this.#graph.nodes[id]!.type) ?? true,
          );
          reached.push(...frontier);
        }
        return reached;
      }
      case 'where':
        return ids.filter((id) => this.#graph.meets(id, step.field, step.compare, step.value));
      case 'whereTime': {
        const from = step.from === undefined ? -Infinity : Number(new Date(step.from));
        const to = step.to === undefined ? Infinity : Number(new Date(step.to));
        return ids.filter((id) => this.#graph.time(id) >= from && this.#graph.time(id) <= to);
      }
      case 'after': {
        const time = Number(new Date(step.timestamp));
        const [last = Infinity] = this.#graph.lookUp(step.uids);
        return ids.filter(
          (id) => this.#graph.time(id) < time || (this.#graph.time(id) === time && id < last),
        );
      }
      case 'isRelatedTo': {
        const [other] = this.#graph.lookUp([step.uid]);
        if (other === undefined) return [];
        const edges = step.edge ? [step.edge] : EDGE_ORDER;
        const related = [
          ...this.#graph.neighbors([other], 'out', edges, undefined),
          ...this.#graph.neighbors([other], 'in', edges, undefined),
        ];
        return ids.filter((id) => related.includes(id));
      }
      case 'union':
        return [...ids, ...this.#set(step.steps)];
      case 'except': {
        const others = this.#set(step.steps);
        return ids.filter((id) => !others.includes(id));
      }
      case 'intersect': {
        const others = this.#set(step.steps);
        return ids.filter((id) => others.includes(id));
      }
      case 'distinct':
      case 'asUser':
        return ids;
      case 'sortBy': {
        const having = ids.filter((id) => this.#graph.read(id, step.field) !== undefined);
        const value = (id: number) => {
          const read = this.#graph.read(id, step.field);
          return Array.isArray(read) ? (read[0] as unknown) : read;
        };
        const sorted = sortStable(having, value, step.direction ?? 'asc');
        return [...sorted, ...ids.filter((id) => !having.includes(id))];
      }
      case 'sortByTimestamp':
        return sortStable(ids, (id) => this.#graph.time(id), step.direction ?? 'desc');
      case 'sortByConnectivity': {
        const degree = (id: number) => this.#graph.degree(id);
        return sortStable(ids, degree, step.direction ?? 'desc');
      }
      case 'skip':
        return ids.slice(step.count);
      case 'take':
        return ids.slice(0, step.count);
    }
  }

  #similarTo(ids: number[], step: Similarity): number[] {
    return this.#similar(
      ids.map((id) => Number(this.#graph.read(id, 'N'))),
      ids,
      step,
    );
  }

  /** The vectors of a plain graph are the numbers N: see `likeness`. */
  #similar(
    sought: readonly number[],
    except: readonly number[],
    { count = 50, types = ['P', 'Q'], similarityMin = -1 }: Similarity,
  ): number[] {
    const score = (id: number) => likeness(sought, Number(this.#graph.read(id, 'N')));
    return types
      .flatMap((type) => this.#graph.ofType(type))
      .filter((id) => !except.includes(id) && score(id) >= similarityMin)
      .toSorted((a, b) => score(b) - score(a) || a - b)
      .slice(0, count);
  }

  #end(ids: number[], end: QueryEnd): unknown {
    switch (end.end) {
      case 'nodes':
        return ids.map((id) => this.#graph.show(id, end.fields));
      case 'uids':
        return ids.map((id) => plainUid(this.#graph.nodes[id]!));
      case 'count':
        return ids.length;
      case 'scored':
        return ids.map((id) => ({ node: this.#graph.show(id, undefined), score: 1 }));
      case 'edges':
        return ids
          .flatMap((id) =>
            this.#graph
              .edgesAt(id, end.direction ?? 'out', end.edge ? [end.edge] : EDGE_ORDER)
              .map(({ from, edge, to }) => ({
                type: edge,
                from: plainUid(this.#graph.nodes[from]!),
                to: plainUid(this.#graph.nodes[to]!),
              })),
          )
          .slice(end.skip ?? 0, (end.skip ?? 0) + (end.take ?? Infinity));
      case 'summary':
        return countBy(ids.map((id) => this.#graph.nodes[id]!.type));
      case 'neighborsSummary':
        return countBy(
          ids.flatMap((id) =>
            this.#graph.edgesAt(id, end.direction ?? 'out', EDGE_ORDER).map(({ edge }) => edge),
          ),
        );
      case 'groupBy': {
        const values = ids.flatMap((id) => {
          const value = this.#graph.read(id, end.field);
          if (value === undefined) return [];
          return Array.isArray(value) ? [...new Set(value as unknown[])] : [value];
        });
        const groups = [...Map.groupBy(values, (value) => value)];
        return groups
          .map(([value, all]) => ({ value, count: all.length }))
          .toSorted((a, b) => b.count - a.count || (String(a.value) < String(b.value) ? -1 : 1));
      }
      case 'explain':
        throw new Error('a naive reading has no plan');
      case 'shortestPath':
        return this.#hops(ids, end);
      case 'shortestPaths':
        return this.#shortest(ids, end);
    }
  }

  /** The expected number of hops of each path. */
  #shortest(ids: number[], end: Extract<QueryEnd, { end: 'shortestPaths' }>): number[] {
    const hops = this.#hops(ids, end);
    if (hops === null) return [];
    const edges = end.edges ?? EDGE_ORDER;
    let ends = ids.slice(0, 1);
    // One entry for each path, also when several paths reach the same node.
    for (let hop = 0; hop < hops; hop++) {
      ends = ends.flatMap((id) => {
        const next = new Set<number>();
        for (const direction of ['out', 'in'] as const) {
          if ((end.direction ?? direction) !== direction && end.direction !== 'both') continue;
          this.#graph
            .neighbors([id], direction, edges, undefined)
            .forEach((each) => next.add(each));
        }
        return [...next];
      });
    }
    const [goal] = this.#graph.lookUp([end.to]);
    const count = ends.filter((id) => id === goal).length;
    return Array.from({ length: Math.min(count, end.take) }, () => hops);
  }

  /** The number of hops to the goal, or null. */
  #hops(
    [start]: number[],
    end: Extract<QueryEnd, { end: 'shortestPath' | 'shortestPaths' }>,
  ): number | null {
    const [goal] = this.#graph.lookUp([end.to]);
    if (start === undefined || goal === undefined) return null;
    const edges = end.edges ?? EDGE_ORDER;
    let reached = [start];
    for (let hops = 0; hops <= (end.maxHops ?? 32); hops++) {
      if (reached.includes(goal)) return hops;
      const next = [...reached];
      if (end.direction !== 'in')
        next.push(...this.#graph.neighbors(reached, 'out', edges, undefined));
      if (end.direction !== 'out')
        next.push(...this.#graph.neighbors(reached, 'in', edges, undefined));
      const wider = [...new Set(next)];
      if (wider.length === reached.length) return null;
      reached = wider;
    }
    return null;
  }
}

/**
 * The likeness to the nearest of the sought numbers, from 0 to 1; NaN when the value is not a
 * number.
 */
export function likeness(sought: readonly number[], value: number): number {
  const distances = sought.filter((one) => !isNaN(one)).map((one) => Math.abs(one - value));
  return distances.length === 0 ? NaN : 1 / (1 + Math.min(...distances));
}

const ANY_NODE = { timestamp: 0, fields: {} };

function sortStable(
  ids: readonly number[],
  valueOf: (id: number) => unknown,
  direction: 'asc' | 'desc',
): number[] {
  const sign = direction === 'asc' ? 1 : -1;
  return ids.toSorted((a, b) => {
    const [x, y] = [valueOf(a) as number, valueOf(b) as number];
    return sign * (x === y ? 0 : x < y ? -1 : 1);
  });
}

function countBy(names: readonly string[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([k, v]) => [k, v.length]));
}
